import Foundation
import TestSupport

/// A Citcon Pay server on loopback that answers inquiries by reference. Its answers can be changed,
/// and it records the time and reference of each inquiry.
final class AskedProvider: Sendable {
    struct Question: Sendable {
        let reference: String
        let time: Date
    }

    private let server: LocalServer
    private let asked: Box<[Question]>
    private let statuses: Box<[String: String]>
    /// The answer to every inquiry in place of a status; nil closes the connection.
    private let outage: Box<String??>
    private let isHeld: Box<Bool>

    var port: UInt16 { server.port }
    var questions: [Question] { asked.get() }

    init() throws {
        let (asked, statuses) = (Box<[Question]>([]), Box<[String: String]>([:]))
        let outage = Box<String??>(nil)
        let isHeld = Box(false)
        (self.asked, self.statuses, self.outage) = (asked, statuses, outage)
        self.isHeld = isHeld
        server = try LocalServer { peer in
            while let request = peer.readRequest() {
                let reference = Self.reference(in: request)
                asked.update { $0.append(Question(reference: reference, time: Date())) }
                _ = eventually { !isHeld.get() }
                if let answer = outage.get() {
                    if let answer { peer.write(answer) }
                    return
                }
                let status = statuses.get()[reference]
                let text =
                    status.map {
                        #"{"id":"T-\#(reference)","type":"charge","amount":4200,"#
                            + #""currency":"MYR","reference":"\#(reference)","status":"\#($0)"}"#
                    } ?? "{}"
                peer.write(
                    LocalServer.answer(200, "Content-Type: application/json\r\n", body: text))
            }
        }
    }

    /// Prefix of transaction ids: an order's transaction is `T-` and its reference.
    private static func reference(in request: String) -> String {
        for field in request.split(whereSeparator: { $0 == "&" || $0.isNewline }) {
            if field.hasPrefix("reference=") { return String(field.dropFirst(10)) }
            if field.hasPrefix("transaction_id=T-") { return String(field.dropFirst(17)) }
        }
        return ""
    }

    /// Sets the status of an order from now on; nil makes the order unknown.
    func say(_ status: String?, of references: String...) {
        statuses.update { for reference in references { $0[reference] = status } }
    }

    /// Answers every inquiry with this, or closes the connection.
    func fail(with answer: String? = nil) { outage.update { $0 = .some(answer) } }

    /// Accepts inquiries but answers none until it is released.
    func hold(_ isHeld: Bool = true) { self.isHeld.update { $0 = isHeld } }

    func recover() { outage.update { $0 = nil } }

    func count(of reference: String) -> Int { questions.count { $0.reference == reference } }

    /// The sandbox's endpoint with its inquiries sent to this server.
    func edit(_ text: String, _ more: String) -> String {
        text.replacingOccurrences(
            of: "provider: citcon-pay\n",
            with: "provider: citcon-pay\n"
                + "    inquiry: {url: \"http://127.0.0.1:\(port)\", \(more)}\n")
    }
}

extension Instance {
    /// Registers the merchant's expectations for orders of Citcon Pay.
    func expect(_ references: String..., secondsToExpiry: Double? = nil) throws {
        try expect(references, secondsToExpiry: secondsToExpiry)
    }

    func expect(_ references: [String], secondsToExpiry: Double? = nil) throws {
        let admin = try admin()
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions.insert(.withFractionalSeconds)
        for reference in references {
            let expires =
                secondsToExpiry.map {
                    #","expires":"\#(formatter.string(from: Date(timeIntervalSinceNow: $0)))""#
                } ?? ""
            let answer = try admin.post(
                "/orders/citcon-pay/\(reference)",
                #"{"amount":{"minor":4200,"currency":"MYR"}\#(expires)}"#)
            guard answer.status == 201 else { throw Refused(answer: answer.body) }
        }
    }

    struct Refused: Error {
        let answer: String
    }

    /// The status of an order of Citcon Pay; nil if the order is unknown.
    func status(_ reference: String) throws -> String? {
        try order("citcon-pay", reference)?["status"] as? String
    }

    /// The value of a sample on `/metrics`; nil if it is absent.
    func metric(_ sample: String) throws -> Double? {
        try admin().get("/metrics").body.split(separator: "\n")
            .first { $0.hasPrefix(sample + " ") }
            .flatMap { Double($0.dropFirst(sample.count + 1)) }
    }
}

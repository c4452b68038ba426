import Bytes
import Cryptography
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let ecommpay: ProviderFixture = {
        func settings(_ secret: String) -> EndpointSettings {
            EndpointSettings(
                name: "ecommpay",
                ["secrets": .secrets([Array(secret.utf8)]), "projectID": "115"])
        }
        var fixture = ProviderFixture(
            .ecommpay, settings("project-secret"), settings("project-secret2"))
        fixture.addOptions = ["--project-id", "115"]
        fixture.impossibleScenarios = ["chargeback"]
        fixture.marked = [
            MarkedRequest(body: #"{"payment":{"id":"1"},"signature":"x"}"#, "ecommpay"),
            MarkedRequest(
                body: #" {"project_id":1,"operation":{"a":[1,{"b":"}"}]},"general":{}}"#,
                "ecommpay"),
            // A name in escapes is the same name, and bytes after the object do not count.
            MarkedRequest(body: #"{"sig\u006eature":"x","payment":{}}garbage"#, "ecommpay"),
        ]
        fixture.isPublishedSchedule = isPublishedSchedule
        fixture.triesManyTexts = true
        fixture.vectors = .file("ecommpay", read: vectors)
        fixture.readings = readings
        fixture.inquiry = inquiry
        fixture.teller = EcommpayTeller.self
        return fixture
    }()

    /// 70 + 10·1.12⁴ s before the eighth attempt, 4 h from the 69th, 120 attempts in 11 days.
    private static func isPublishedSchedule(_ pauses: [Duration]) -> Bool {
        guard pauses.count == 119 else { return false }
        let sum = pauses.reduce(.zero, +)
        return pauses.prefix(6).allSatisfy { $0 == .seconds(10) }
            && pauses[6...9].map(\.self) == [86, 88, 90, 92].map { .seconds($0) }
            && pauses.firstIndex(of: .seconds(14_400)) == 67
            && pauses.dropFirst(67).allSatisfy { $0 == .seconds(14_400) }
            && sum <= .seconds(11 * 86_400) && sum > .seconds(10 * 86_400)
    }

    /// Callbacks of ecommpay's SDK tests and pages. One gives the signature beside the body.
    private static func vectors(_ file: JSONValue) throws -> [SignedVector] {
        try file.required("vectors").elements.filter { $0["kind"]?.string == "callback" }
            .flatMap { vector in
                let data = try vector.required("data")
                var body = data.string ?? String(decoding: data.rawBytes, as: UTF8.self)
                let signature = try vector.text("signature")
                if !body.contains("\"signature\"") {
                    body = body.dropLast() + ",\"signature\":\"\(signature)\"}"
                }
                let settings = EndpointSettings(
                    name: "ecommpay", ["secrets": .secrets([Array(try vector.text("key").utf8)])])
                return vectors(
                    try vector.text("id"), settings, body, changing: String(signature.prefix(8)),
                    to: "AAAAAAAA")
            }
    }

    /// A reading for each text that may have been signed: no signature is compared.
    private static func readings(_ body: [UInt8]) -> [Notification] {
        guard let root = try? JSONDocument(parsing: body).root, root.kind == .object,
            let leaves = try? EcommpayLeaves(of: root)
        else { return [] }
        var work = VerificationWork(receivedBytes: body.count)
        var candidates = EcommpayCandidates(leaves)
        var readings: [Notification] = []
        do throws(Refusal) {
            while let text = try candidates.next(work: &work) {
                precondition(!text.isEmpty || leaves == EcommpayLeaves())
                readings.append(EcommpayInterpretation(leaves: candidates.signed).notification)
            }
        } catch {
            precondition(error.reason == "verification_too_costly")
        }
        return readings
    }

    private static let inquiry: Inquiry = {
        var inquiry = Inquiry(
            paid: { reference, status, amount in
                #"{"project_id":115,"payment":{"id":""# + reference
                    + #"","type":"purchase","status":""# + status
                    + #"","sum":{"amount":\#(amount),"currency":"EUR"}},"operations":[{"id":7,"#
                    + #""type":"sale","status":""# + status
                    + #"","sum_initial":{"amount":\#(amount),"currency":"EUR"}}]}"#
            }, paidWord: "success")
        inquiry.sign = { answer in
            guard let document = try? JSONDocument(parsing: answer.body),
                document.root.kind == .object, let leaves = try? EcommpayLeaves(of: document.root)
            else { return }
            let text = EcommpayText.text(leaves, order: .natural)
            let code = HMAC.code(.sha512, key: Array("project-secret".utf8), message: text)
            answer.body.removeLast()
            answer.body += Array(",\"signature\":\"\(Base64.encode(code))\"}".utf8)
        }
        inquiry.successfulCalls = [#"{"status":"success","payment":{"status":"success"}}"#]
        let failed = #"{"payment":{"status":"error"},"errors":[{"code":"3061"}]}"#
        inquiry.failedCalls = [failed]
        inquiry.unknown = [(failed, 200)]
        // A sale is identified by its operation.
        inquiry.joined = { body, transaction in
            transaction.map { body.replacing("\"id\":7", with: "\"id\":\"\($0)\"") } ?? body
        }
        // Only an authorisation is canceled, which this life does not have.
        inquiry.impossibleLives = ["canceled"]
        // The vectors give an authorisation the payment's id. Callbacks identify it by its
        // operation, and a payment without one by its reference alone; answers follow the
        // callbacks, so that both join.
        inquiry.namesTransaction = { kind, status in kind == "payment" && status == "paid" }
        return inquiry
    }()
}

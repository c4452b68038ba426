import JSON
import Payments

/// The platform's answer, authenticated only by TLS.
///
/// A transaction has `id` and `paymentType`. The result code of the envelope is that of the call:
/// `000.000.100` matches the pattern for success but only means that the question was answered, and
/// the codes for "not found" and "throttled" match patterns for rejections.
struct OPPAnswer {
    private let entries: [JSONValue]
    private let mode: EndpointSettings.Mode

    /// - Throws: ``NoAnswer`` for an answer that reports nothing about the payment.
    init(
        _ answer: InquiryAnswer, to question: InquiryQuestion, mode: EndpointSettings.Mode
    ) throws(NoAnswer) {
        self.mode = mode
        let root = try JSONDocument.parse(answer: answer.body)
        if root["paymentType"] != nil, root["id"] != nil {
            entries = [root]
        } else {
            entries = try Self.list(root, status: answer.status)
        }
        let name: StaticString
        let value: String?
        switch question.name {
        case .transaction: (name, value) = ("id", question.value)
        case .reference: (name, value) = ("merchantTransactionId", question.value)
        case .checkout, .request: (name, value) = ("merchantTransactionId", question.reference)
        }
        guard entries.allSatisfy({ value != nil && $0[name]?.word == value }) else {
            throw .mismatch("payment", .tls)
        }
    }

    /// Returns the transactions of a report: `payments` in version 1, `records` in version 3.
    private static func list(
        _ root: JSONValue, status: Int
    ) throws(NoAnswer) -> [JSONValue] {
        let code = root["result"]?["code"]?.word ?? ""
        switch code {
        case "700.400.580", "200.300.404", "000.200.000", "000.200.100": throw .absent(.tls)
        case "800.120.100":
            throw NoAnswer(.retry, .tls, "throttled", "the platform says \(code)")
        case _ where code.hasPrefix("800.900."), _ where status == 401 || status == 403:
            throw NoAnswer(.denied, .tls, "refused", "the platform says \(status) \(code)")
        case _ where code.hasPrefix("900."), _ where status >= 500 || status == 429:
            throw NoAnswer(
                .retry, .tls, "call_failed", "the platform says \(status) \(code)")
        default: break
        }
        guard let list = root["payments"] ?? root["records"], list.kind == .array else {
            throw .unreadable(
                .tls, "list_missing", "\(status) \(code) without a list of transactions")
        }
        // A further page may contain a refund.
        if let pages = root["pages"]?.wordOrNumber, pages != "1", pages != "0" {
            throw .unreadable(.tls, "several_pages", "the report has \(pages) pages")
        }
        let entries = list.elements.map(\.self)
        if entries.isEmpty { throw .absent(.tls) }
        return entries
    }

    var facts: [Notification] {
        get throws(NoAnswer) {
            var facts: [Notification] = []
            for entry in entries { facts.append(try fact(entry)) }
            return facts
        }
    }

    private func fact(_ entry: JSONValue) throws(NoAnswer) -> Notification {
        let code = entry["result"]?["code"]?.word
        let reading = OPPInterpretation(
            root: entry, payload: entry, plaintext: Array(entry.rawBytes), mode: mode,
            type: "PAYMENT", id: entry["id"]?.word, code: code.map(OPPResultCode.init),
            isAnswer: true)
        return try .fact(
            reading.payment,
            identity: [
                "transaction", entry["paymentType"]?.word, reading.id, code,
            ], .tls)
    }
}

import JSON
import Payments

/// ecommpay's answer about a payment. Each operation is read like a callback about it, with the
/// same decision tables and ids.
struct EcommpayAnswer {
    let trust: InquiryTrust
    private let payment: JSONValue
    private let operations: [JSONValue]
    private let projectID: Int64

    /// - Throws: ``NoAnswer`` for an answer that reports nothing about the payment. A
    ///   `payment.status` without a `payment.id` is that of the call.
    init(
        _ root: JSONValue, status: Int, to question: InquiryQuestion, _ trust: InquiryTrust,
        _ projectID: Int64
    ) throws(NoAnswer) {
        self.trust = trust
        self.projectID = projectID
        if status >= 500 || status == 429 { throw .status(.retry, trust, status) }
        guard status == 200, let payment = root["payment"],
            let id = payment["id"]?.wordOrNumber
        else { throw Self.noAnswer(root, status: status, trust) }
        // An array and an object with the same members have the same signature, and an object would
        // hide refunds.
        guard [.array, .null, nil].contains(root["operations"]?.kind) else {
            throw .unreadable(trust, "operations_not_list", "`operations` is not a list")
        }
        let operations = root["operations"]?.elements.map(\.self) ?? []
        let isAsked =
            question.name == .request
            ? operations.contains { $0["request_id"]?.word == question.value }
            : id == question.value
        guard isAsked else { throw .mismatch("payment", trust) }
        self.payment = payment
        self.operations = operations
    }

    /// Returns the verdict for an answer without a payment, by the codes of ecommpay's page.
    private static func noAnswer(
        _ root: JSONValue, status: Int, _ trust: InquiryTrust
    ) -> NoAnswer {
        var codes = root["errors"]?.elements.compactMap { $0["code"]?.wordOrNumber } ?? []
        if let code = root["code"]?.wordOrNumber { codes.append(code) }
        // The payment is not registered, or its payment page was closed before it was confirmed.
        if codes.contains("3061") { return .absent(trust) }
        let codeText = codes.isEmpty ? "" : " with code \(codes.joined(separator: ", "))"
        if codes.contains(where: ["314", "501", "601", "602", "20802"].contains) {
            return NoAnswer(.retry, trust, "call_failed", "ecommpay answered\(codeText)")
        }
        let denials = ["3261", "3262", "2442", "2003", "2004"]
        if status != 200 || codes.contains(where: denials.contains) {
            return NoAnswer(
                .denied, trust, "refused", "ecommpay answered \(status)\(codeText)")
        }
        return .unreadable(trust, "payment_missing", "the answer names no payment\(codeText)")
    }

    var facts: [Notification] {
        get throws(NoAnswer) {
            if payment["type"]?.word == "payout" { return [] }
            var facts: [Notification] = []
            for operation in operations {
                guard operation["type"]?.word != "payout" else { continue }
                facts.append(try fact(operation))
            }
            // If no operation reports the payment's status, the payment's own status counts.
            if !facts.contains(where: { $0.kind == "payment" && $0.effect != .none }) {
                facts.append(try fact(nil))
            }
            return facts
        }
    }

    private func fact(_ operation: JSONValue?) throws(NoAnswer) -> Notification {
        var json = Array("{\"project_id\":\(projectID),\"payment\":".utf8) + payment.rawBytes
        if let operation { json += Array(",\"operation\":".utf8) + operation.rawBytes }
        json.append(UInt8(ascii: "}"))
        guard let document = try? JSONDocument(parsing: json, limits: .unauthenticated),
            let leaves = try? EcommpayLeaves(of: document.root)
        else { throw .unreadable(trust, "answer_too_large", "an operation has too many fields") }
        let reading = EcommpayInterpretation(leaves: leaves)
        return try .fact(
            reading.notification,
            identity: [
                "payment", String(projectID), reading.reference, reading.operationID,
                reading.operationStatus, reading.paymentStatus,
            ], trust)
    }
}

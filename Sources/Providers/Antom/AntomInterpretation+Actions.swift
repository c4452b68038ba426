import JSON
import Payments

extension AntomInterpretation {
    /// Reads `CAPTURE_RESULT`. Without a `paymentId` the capture is kept under its own id until
    /// another notification names the payment.
    var captured: Notification {
        guard let id = word("captureId") ?? word("captureRequestId"), let result = resultStatus
        else { return notUnderstood(kind: "capture") }
        return action(
            kind: "capture", id: id, alias: word("captureRequestId"),
            word: result, amount: amount("captureAmount"), occurred: time("captureTime")
        ) { .capture(id: id, $0, $1) }
    }

    /// Reads `REFUND_RESULT`: its own `refundStatus` first, because `result` may be that of the
    /// call.
    var refund: Notification {
        guard let id = word("refundId") ?? word("refundRequestId"),
            let status = word("refundStatus") ?? resultStatus
        else { return notUnderstood(kind: "refund") }
        return action(
            kind: "refund", id: id, alias: word("refundRequestId"),
            word: status, amount: amount("refundAmount"), occurred: time("refundTime")
        ) { .refund(id: id, $0, $1) }
    }

    /// The decision table that captures and refunds share. A success without a readable amount is
    /// not acted on, because the amount is all that it reports.
    private func action(
        kind: String, id: String, alias: String?, word: String, amount: Money?,
        occurred: Timestamp?, effect: (ActionStatus, Money?) -> Effect
    ) -> Notification {
        let status: ActionStatus
        var flags: [Flag] = []
        switch word {
        case "S", "SUCCESS":
            guard amount != nil else { return notUnderstood(kind: kind) }
            status = .succeeded
        case "F", "FAIL": status = .failed
        case "U", "PROCESSING", "PENDING": status = .pending
        default:
            status = .pending
            flags = [.unknownStatus]
        }
        return Notification(
            id: EventIdentity.text(kind, id, word), kind: kind,
            status: flags.isEmpty ? status.name : word, occurred: occurred,
            reference: self.word("paymentRequestId"), alias: alias,
            transaction: self.word("paymentId"), effect: effect(status, amount),
            reason: status == .succeeded ? nil : reason, flags: flags)
    }

    /// Reads a dispute by its `disputeNotificationType`.
    func dispute(_ type: String) -> Notification {
        let transaction = word("paymentId")
        let reference = word("paymentRequestId")
        guard let id = word("disputeId"), transaction != nil || reference != nil else {
            return notUnderstood(kind: "dispute")
        }
        let judged = type == "DISPUTE_JUDGED" ? word("disputeJudgedResult") : nil
        let (status, flags) = disputeStatus(type, judged: judged)
        return Notification(
            id: EventIdentity.text(["dispute", id, type] + (judged.map { [$0] } ?? [])),
            kind: "dispute",
            status: flags.isEmpty ? status.name : judged ?? type,
            occurred: time("disputeJudgedTime", or: "disputeTime"), reference: reference,
            transaction: transaction,
            effect: .dispute(
                id: id, status, amount("disputeJudgedAmount") ?? amount("disputeAmount")),
            flags: flags)
    }

    /// The decision table of a dispute. `disputeJudgedResult` names who bears the loss: the
    /// customer (won) or the merchant (lost). `VALIDATE_…` is a verdict on requested documents and
    /// moves no money; if they were not sufficient, the status is flagged for a person.
    private func disputeStatus(_ type: String, judged: String?) -> (DisputeStatus, [Flag]) {
        switch (type, judged) {
        case ("DISPUTE_CREATED", _), ("DEFENSE_SUPPLIED", _), ("DEFENSE_DUE_ALERT", _): (.open, [])
        case ("DISPUTE_CANCELLED", _): (.closed, [])
        // The merchant accepted the dispute, or the card scheme's rapid dispute resolution refunded
        // it by rule: the money is lost.
        case ("DISPUTE_ACCEPTED", _), ("RDR_RESOLVED", _): (.lost, [])
        case ("DISPUTE_JUDGED", "ACCEPT_BY_CUSTOMER"): (.won, [])
        case ("DISPUTE_JUDGED", "ACCEPT_BY_MERCHANT"): (.lost, [])
        case ("DISPUTE_JUDGED", "VALIDATE_SUCCESS"): (.closed, [])
        case ("DISPUTE_JUDGED", _): (.closed, [.unknownStatus])
        default: (.open, [.unknownStatus])
        }
    }
}

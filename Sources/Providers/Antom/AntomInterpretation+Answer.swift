import JSON
import Payments

/// Reads the answer to an inquiry. All of it is signed.
extension AntomInterpretation {
    /// Reads `inquiryPayment`: the payment, and the captures, refunds and cancellations among its
    /// `transactions`. No answer contains disputes.
    var answeredPayment: [Notification] {
        get throws(NoAnswer) {
            guard let id = word("paymentId"), let reference = word("paymentRequestId"),
                let status = word("paymentStatus")
            else {
                throw .unreadable(
                    .signature, "payment_incomplete", "the answer names no payment or no status")
            }
            let (effect, flags) = try attempt(status)
            var payment = Notification(
                id: "", kind: "payment", status: flags.isEmpty ? effect.statusWord : status,
                occurred: time("paymentTime", or: "paymentCreateTime"), reference: reference,
                transaction: id, effect: effect, ids: Self.ids, method: method, flags: flags)
            if status != "SUCCESS" {
                payment.reason = Reason(
                    code: word("paymentResultCode"), message: word("paymentResultMessage"))
            }
            let review = word("authReviewStatus")
            var facts = [
                try Notification.fact(
                    payment,
                    identity: ["payment", id, status] + (review.map { [$0] } ?? []), .signature)
            ]
            for entry in root["transactions"]?.elements.map(\.self) ?? [] {
                guard let fact = try operation(entry, of: id, reference) else { continue }
                facts.append(fact)
            }
            return facts
        }
    }

    /// Reads `inquiryRefund`.
    var answeredRefund: Notification {
        get throws(NoAnswer) {
            guard let id = word("refundId") ?? word("refundRequestId"),
                let status = word("refundStatus")
            else {
                throw .unreadable(
                    .signature, "refund_incomplete", "the answer names no refund or no status")
            }
            return try action(
                "refund", id, status, amount("refundAmount"),
                Notification(
                    id: "", kind: "refund", status: status, occurred: time("refundTime"),
                    alias: word("refundRequestId"), ids: Self.ids))
        }
    }

    /// The decision table of `paymentStatus`. `SUCCESS` is read like `PAYMENT_RESULT`: not paid
    /// while Antom reviews the authorisation, or if the endpoint captures manually.
    private func attempt(_ status: String) throws(NoAnswer) -> (Effect, [Flag]) {
        let amount = amount("paymentAmount")
        switch status {
        case "SUCCESS":
            let review = word("authReviewStatus")
            guard review == nil || review == "ACCEPT" else {
                return (.attempt(.authorized, amount), [])
            }
            guard let amount else {
                throw .unreadable(
                    .signature, "amount_missing", "paid, without a readable amount and currency")
            }
            return (.attempt(capture == .automatic ? .paid : .authorized, amount), [])
        case "FAIL": return (.attempt(Self.failure(word("paymentResultCode")), amount), [])
        case "CANCELLED":
            // An order that its timeout closed has this status too; the result code identifies it.
            let isExpired = Self.failure(word("paymentResultCode")) == .expired
            return (.attempt(isExpired ? .expired : .canceled, amount), [])
        case "PROCESSING", "PENDING": return (.attempt(.pending, amount), [])
        default: return (.attempt(.pending, nil), [.unknownStatus])
        }
    }

    /// Reads an element of `transactions`; nil for one that adds nothing, such as the payment
    /// itself.
    ///
    /// `CANCEL` and `VOID` undo the payment: "a completed payment that is canceled is refunded"
    /// (Antom's page of `cancel`); if it was only authorised, the rest is released. The order rules
    /// decide which applies.
    private func operation(
        _ entry: JSONValue, of payment: String, _ reference: String
    ) throws(NoAnswer) -> Notification? {
        let kind: String
        switch entry["transactionType"]?.word {
        case "CAPTURE": kind = "capture"
        case "REFUND": kind = "refund"
        case "CANCEL", "VOID": kind = "reversal"
        case "INCREMENTAL": kind = "authorization"
        default: return nil
        }
        guard let id = entry["transactionId"]?.word ?? entry["transactionRequestId"]?.word,
            let status = entry["transactionStatus"]?.word
        else {
            throw .unreadable(.signature, "\(kind)_incomplete", "a \(kind) without id or status")
        }
        return try action(
            kind, id, status, Self.amount(entry["transactionAmount"]),
            Notification(
                id: "", kind: kind, status: status,
                occurred: entry["transactionTime"]?.utf8.flatMap { Timestamp(lenient: $0.span) },
                reference: reference, alias: entry["transactionRequestId"]?.word,
                transaction: payment, ids: Self.ids))
    }

    /// - Parameter beginning: The notification without identity, status word, effect and flags.
    private func action(
        _ kind: String, _ id: String, _ word: String, _ amount: Money?, _ beginning: Notification
    ) throws(NoAnswer) -> Notification {
        let status: ActionStatus
        var fact = beginning
        switch word {
        case "SUCCESS":
            // A cancellation without an amount covers the whole payment.
            guard amount != nil || kind == "reversal" else {
                throw .unreadable(
                    .signature, "amount_missing", "a \(kind) that succeeded, without an amount")
            }
            status = .succeeded
        case "FAIL": status = .failed
        case "PROCESSING", "PENDING": status = .pending
        default:
            status = .pending
            fact.flags = [.unknownStatus]
        }
        if fact.flags.isEmpty { fact.status = status.name }
        fact.effect =
            switch kind {
            case "capture": .capture(id: id, status, amount)
            case "reversal": .reversal(.operation, id: id, status, amount)
            case "authorization": .reversal(.total, id: id, status, amount)
            default: .refund(id: id, status, amount)
            }
        return try .fact(fact, identity: [kind, id, word], .signature)
    }
}

extension Effect {
    /// The name of the status that it reports.
    var statusWord: String {
        switch self {
        case .attempt(let status, _): status.name
        case .capture(_, let status, _), .refund(_, let status, _),
            .unclearRefund(_, let status, _),
            .reversal(_, _, let status, _):
            status.name
        case .dispute(_, let status, _): status.name
        case .doubt, .none: "unknown"
        }
    }
}

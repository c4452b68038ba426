import JSON
import Payments

extension AntomInterpretation {
    /// Reads `PAYMENT_RESULT`, `PAYMENT_PENDING` and `UPDATE_AMOUNT_RESULT`. Only the first, with
    /// `S`, means paid, and only if the endpoint captures automatically.
    func payment(_ type: AntomKind.Payment) -> Notification {
        guard let transaction = word("paymentId"), let reference = word("paymentRequestId"),
            let result = resultStatus
        else { return notUnderstood(kind: "payment") }
        let amount = amount("paymentAmount")
        let review = word("authReviewStatus")
        guard let reported = paymentStatus(type, result: result, review: review, amount: amount)
        else {
            return notUnderstood(kind: "payment")
        }
        // Amount updates of one payment differ in their request id, and reviews of an authorised
        // payment in their outcome. Without these in the identity, the second would count as a
        // repetition of the first.
        var identity: [String?] = ["payment", transaction, type.rawValue, result]
        if type == .amountUpdate, let update = word("updateRequestId") { identity.append(update) }
        if let review { identity.append(review) }
        return Notification(
            id: EventIdentity.text(identity),
            kind: "payment", status: reported.word,
            occurred: time("paymentTime", or: "paymentCreateTime"), reference: reference,
            transaction: transaction, effect: reported.effect, reason: reason, method: method,
            flags: reported.flags)
    }

    private struct Reported {
        var word: String
        var effect: Effect
        var flags: [Flag] = []
    }

    /// The decision table of a payment; nil if it reports success without a readable amount.
    private func paymentStatus(
        _ type: AntomKind.Payment, result: String, review: String?, amount: Money?
    ) -> Reported? {
        switch (type, result) {
        case (.result, "S"):
            // While Antom still reviews the authorisation: "do not fulfil the order" (Antom's page,
            // `authReviewStatus`).
            guard review == nil || review == "ACCEPT" else {
                return Reported(word: "authorized", effect: .attempt(.authorized, amount))
            }
            guard let amount else { return nil }
            // With separate capture the same message reports the authorisation.
            let taken: AttemptStatus = capture == .automatic ? .paid : .authorized
            return Reported(word: taken.name, effect: .attempt(taken, amount))
        case (.result, "F"):
            let status = failure
            return Reported(word: status.name, effect: .attempt(status, amount))
        case (.pending, _):
            return Reported(word: "pending", effect: .attempt(.pending, amount))
        case (.amountUpdate, "S"):
            // An authorised amount was raised ("the new total, not the increment": updateAmount).
            // No money moves.
            guard let update = word("updateRequestId"), let amount else {
                return Reported(word: "amount_updated", effect: .attempt(.pending, nil))
            }
            return Reported(
                word: "amount_updated",
                effect: .reversal(.total, id: update, .succeeded, amount))
        case (.amountUpdate, _):
            return Reported(word: "amount_update_failed", effect: .attempt(.pending, nil))
        case (.result, _):
            return Reported(word: result, effect: .attempt(.pending, nil), flags: [.unknownStatus])
        }
    }

    /// The end of a payment that did not succeed. "A payment notification comes when it is
    /// successful or expires": Antom's tables (notifyPayment, inquiryPayment) list the codes of a
    /// closed or canceled order.
    private var failure: AttemptStatus { Self.failure(root["result"]?["resultCode"]?.word) }

    static func failure(_ code: String?) -> AttemptStatus {
        switch code {
        case "ORDER_IS_CLOSED", "ORDER_CLOSED", "ORDER_IS_EXPIRED", "ORDER_EXPIRED",
            "PAYMENT_EXPIRED":
            .expired
        case "ORDER_IS_CANCELED", "ORDER_IS_CANCELLED", "ORDER_CANCELED", "ORDER_CANCELLED",
            "PAYMENT_CANCELED", "PAYMENT_CANCELLED", "USER_CANCELED", "USER_CANCELLED",
            "USER_CANCEL":
            .canceled
        default: .failed
        }
    }
}

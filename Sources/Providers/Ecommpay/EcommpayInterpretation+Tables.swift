import Payments

/// What an ecommpay status means for the money.
enum EcommpayStatus: Equatable {
    case success, authorized, pending, failed, canceled, expired
    /// The payment was paid, and since then some of it went back.
    case returned
    case unknown

    /// `payment.status` and `operation.status` share this vocabulary; the SDKs spell one word in
    /// two ways.
    init(_ word: String) {
        switch word {
        case "success": self = .success
        case "awaiting capture": self = .authorized
        case "processing": self = .pending
        case "decline", "error", "internal error", "external error": self = .failed
        case "canceled", "cancelled": self = .canceled
        case "expired": self = .expired
        case "refunded", "partially refunded", "reversed", "partially reversed": self = .returned
        default: self = word.hasPrefix("awaiting ") ? .pending : .unknown
        }
    }

    /// Whether an operation with this status came to nothing, whatever becomes of its payment.
    var isFinalFailure: Bool { [.failed, .canceled, .expired].contains(self) }

    /// The attempt's status where nothing else decides; never paid.
    var attempt: AttemptStatus {
        switch self {
        case .authorized: .authorized
        case .failed: .failed
        case .canceled: .canceled
        case .expired: .expired
        case .success, .pending, .returned, .unknown: .pending
        }
    }
}

extension EcommpayInterpretation {
    private var payment: EcommpayStatus? { paymentStatus.map(EcommpayStatus.init) }
    private var operation: EcommpayStatus? { operationStatus.map(EcommpayStatus.init) }

    /// `sale` and `recurring`: money taken at once. One that came to nothing keeps its own status:
    /// the payment's is that of all its operations together.
    ///
    /// | operation | payment | attempt |
    /// |---|---|---|
    /// | success | success, or partly or wholly returned since | paid |
    /// | success | absent | paid |
    /// | absent | success, returned | paid: the type says that it is a sale |
    /// | success | anything else | as the payment, which is not over |
    /// | failed, canceled, expired | anything | as the operation |
    /// | anything else | success, returned, authorized | pending: another operation made it so |
    /// | anything else | anything else | as the payment |
    /// | anything else | absent | as the operation |
    var sale: Notification {
        let wasPaid = payment == .success || payment == .returned
        if operation == .success || operation == nil,
            wasPaid || (payment == nil && operation != nil)
        {
            guard let money = operationSum ?? paymentSum else { return notUnderstood() }
            var notification = event(
                "payment", "paid", .attempt(.paid, money), transaction: operationID)
            notification.refundedAtLeast = refundedAtLeast(of: money)
            return notification
        }
        return unfinished
    }

    /// A sale or an authorisation that has not succeeded: the last four rows of the table of
    /// `sale`.
    private var unfinished: Notification {
        if let operation, operation != .success {
            if operation.isFinalFailure { return attempt(operation, operationStatus) }
            if payment == .success || payment == .returned || payment == .authorized {
                return attempt(.pending, operationStatus)
            }
        }
        return attempt(payment ?? operation ?? .unknown, paymentStatus ?? operationStatus)
    }

    /// `auth`: money set aside, whatever the payment's own status says. One that is over keeps its
    /// own status, as a sale does.
    var authorization: Notification {
        let isHeld: Bool =
            switch (operation, payment) {
            case (.success, .success), (.success, .authorized), (.success, .returned),
                (.success, .failed), (.success, nil):
                true
            case (nil, .authorized): true
            default: false
            }
        if isHeld {
            return event(
                "payment", "authorized", .attempt(.authorized, operationSum ?? paymentSum),
                transaction: operationID)
        }
        return unfinished
    }

    /// `capture` of what an `auth` set aside.
    var capture: Notification {
        guard let id = operationID, let operation else { return notUnderstood(kind: "capture") }
        return action("capture", operation) { .capture(id: id, $0, $1) }
    }

    /// `refund`: money that goes back.
    var refund: Notification {
        guard let id = operationID, let operation else { return notUnderstood(kind: "refund") }
        return action("refund", operation) { .refund(id: id, $0, $1) }
    }

    /// `reversal` of the payment, `refund reverse` of a refund, or of a chargeback. Which operation
    /// it undoes is not said: the order's rules know which it can be.
    func reversal(_ kind: Reversal.Kind) -> Notification {
        guard let id = operationID, let operation else { return notUnderstood(kind: "reversal") }
        return action("reversal", operation) { .reversal(kind, id: id, $0, $1) }
    }

    /// `incremental`: more is set aside. The operation's sum is what was added. Where the payment's
    /// own sum is greater, that is the whole.
    var increase: Notification {
        guard let id = operationID, let operation else { return notUnderstood() }
        if operation == .success, let paymentSum, let operationSum,
            operationSum.currency == paymentSum.currency, operationSum.minor < paymentSum.minor
        {
            return event(
                "authorization", "succeeded", .reversal(.total, id: id, .succeeded, paymentSum))
        }
        return action("authorization", operation) { .reversal(.increase, id: id, $0, $1) }
    }

    /// A signed `chargeback`: the money was fetched back. (ecommpay's own chargeback callbacks
    /// carry no signature: see `EcommpayChargeback`.)
    var chargeback: Notification {
        guard let id = operationID, let operation else { return notUnderstood(kind: "dispute") }
        let status: DisputeStatus =
            switch operation {
            case .success: .lost
            case .failed: .won
            case .canceled, .expired, .returned: .closed
            case .pending, .authorized, .unknown: .open
            }
        return event(
            "dispute", operation == .unknown ? operationStatus ?? "unknown" : status.name,
            .dispute(id: id, status, operationSum ?? paymentSum),
            flags: operation == .unknown ? [.unknownStatus] : [])
    }

    /// `cancel` of an authorisation. One that did not succeed leaves everything as it was.
    var cancel: Notification {
        guard let id = operationID, let operation else { return notUnderstood() }
        return action("reversal", operation, needsSum: false) {
            .reversal(.authorization, id: id, $0, $1)
        }
    }

    /// `account verification`: whether a card or an account can be debited. What is expected of it
    /// ends with it.
    ///
    /// | operation, else payment | sum | attempt |
    /// |---|---|---|
    /// | success | zero | paid, zero: nothing was to be taken |
    /// | success | none | pending: what is not said is not made up |
    /// | success | more | authorized: it was set aside, and is released |
    /// | anything else | any | as it says |
    var verification: Notification {
        guard let status = operation ?? payment else {
            return notUnderstood(kind: "account_verification")
        }
        guard status == .success else {
            var told = attempt(status, operationStatus ?? paymentStatus)
            told.kind = "account_verification"
            return told
        }
        let sum = operationSum ?? paymentSum
        let effect: Effect =
            switch sum {
            case let sum? where sum.minor > 0: .attempt(.authorized, sum)
            case let sum?: .attempt(.paid, sum)
            case nil: .attempt(.pending, nil)
            }
        return event(
            "account_verification", effect.statusWord, effect, transaction: operationID)
    }

    /// No operation at all: a merchant's own choice of fields. Only a payment that says of itself
    /// that it is a purchase can be paid, because a payout has the same statuses.
    var paymentOnly: Notification {
        guard let payment else {
            // A redirect is asked for, and so far that is all.
            return leaves.has("redirectData")
                ? event("redirect", "pending", .none) : notUnderstood()
        }
        let type = leaves.word("payment:type")
        if type == "payout" { return event("payout", paymentStatus ?? "unknown", .none) }
        if type == "account verification" { return verification }
        if payment == .success || payment == .returned {
            guard type == "purchase" || type == "recurring" || type == "invoice", let paymentSum
            else {
                return notUnderstood()
            }
            var notification = event("payment", "paid", .attempt(.paid, paymentSum))
            notification.refundedAtLeast = refundedAtLeast(of: paymentSum)
            return notification
        }
        return attempt(payment, paymentStatus)
    }

    /// A payment that says of itself that it was refunded is not plainly paid, even where the
    /// refund's own callback never comes. How much a part is, it does not say.
    private func refundedAtLeast(of money: Money) -> Money? {
        switch paymentStatus {
        case "refunded", "reversed": money
        case "partially refunded", "partially reversed":
            Money(minor: min(1, money.minor), currency: money.currency)
        default: nil
        }
    }

    private func attempt(_ status: EcommpayStatus, _ word: String?) -> Notification {
        let attempt = status.attempt
        let transaction = operationID
        guard status != .unknown else {
            return event(
                "payment", word ?? "unknown", .attempt(.pending, nil), transaction: transaction,
                flags: [.unknownStatus])
        }
        return event(
            "payment", attempt.name, .attempt(attempt, operationSum ?? paymentSum),
            transaction: transaction)
    }

    private func action(
        _ kind: String, _ status: EcommpayStatus, needsSum: Bool = true,
        effect: (ActionStatus, Money?) -> Effect
    ) -> Notification {
        switch status {
        case .success:
            // The payment's own sum would be the whole of it: a part is what is most often sent
            // back.
            guard operationSum != nil || !needsSum else { return notUnderstood(kind: kind) }
            return event(kind, "succeeded", effect(.succeeded, operationSum))
        case .failed, .canceled, .expired:
            return event(kind, "failed", effect(.failed, operationSum))
        case .pending, .authorized:
            return event(kind, "pending", effect(.pending, operationSum))
        case .returned, .unknown:
            return event(
                kind, operationStatus ?? "unknown", effect(.pending, nil), flags: [.unknownStatus])
        }
    }
}

import Payments

/// Reads the signed scalars of an ecommpay callback.
///
/// The merchant chooses `payment.id`: it is the order's reference, and the only name that a capture
/// or refund gives its payment. Sales and authorisations are attempts with their operation's id, so
/// a second try after a decline is a second attempt.
struct EcommpayInterpretation {
    private let leaves: EcommpayLeaves

    var notification: Notification {
        if reference == nil {
            if leaves.has("payment") || leaves.has("operation") { return notUnderstood() }
            return withoutPayment
        }
        guard operationType != nil || !leaves.has("operation") else { return notUnderstood() }
        switch operationType {
        case "sale", "recurring": return sale
        case "auth": return authorization
        case "capture": return capture
        case "cancel": return cancel
        case "refund": return refund
        case "reversal": return reversal(.operation)
        case "refund reverse": return reversal(.refund)
        case "chargeback": return chargeback
        case "chargeback reversal", "chargeback reverse": return reversal(.dispute)
        case "incremental": return increase
        case "invoice":
            // An invoice was sent: the order is open, and no money has moved.
            return event("payment", "pending", .attempt(.pending, nil))
        case "payout": return event("payout", operationStatus ?? "unknown", .none)
        case "account verification": return verification
        case .some(let type):
            return event(
                String(type.map { $0 == " " ? "_" : $0 }).lowercased(),
                operationStatus ?? "unknown",
                .none, flags: [.unknownKind])
        case nil: return paymentOnly
        }
    }

    // MARK: Fields

    let reference: String?
    let operationID: String?
    let operationType: String?
    let operationStatus: String?
    let paymentStatus: String?

    init(leaves: EcommpayLeaves) {
        self.leaves = leaves
        reference = leaves.word("payment:id")
        operationID = leaves.number("operation:id")
        operationType = leaves.word("operation:type")
        operationStatus = leaves.word("operation:status")
        paymentStatus = leaves.word("payment:status")
    }

    /// The operation's amount.
    var operationSum: Money? {
        money(
            leaves.number("operation:sum_initial:amount"),
            leaves.word("operation:sum_initial:currency"))
    }

    /// The payment's amount; for a sale or an authorisation the same.
    var paymentSum: Money? {
        money(leaves.number("payment:sum:amount"), leaves.word("payment:sum:currency"))
    }

    /// An integer in the smallest unit. A number and a string have the same signed text, so both
    /// are read.
    private func money(_ digits: String?, _ code: String?) -> Money? {
        guard let digits, let currency = code.flatMap({ Currency(listed: $0) }) else { return nil }
        return Money(minorDigits: digits, currency: currency)
    }

    private var occurred: Timestamp? {
        leaves.time("operation:date") ?? leaves.time("payment:date")
    }

    private var projectID: String? {
        leaves.number("project_id") ?? leaves.number("general:project_id")
    }

    // MARK: Notifications

    func event(
        _ kind: String, _ status: String, _ effect: Effect, transaction: String? = nil,
        flags: [Flag] = []
    ) -> Notification {
        Notification(
            id: EventIdentity.text(
                "payment", projectID, reference, operationID, operationStatus, paymentStatus),
            kind: kind, status: status, occurred: occurred, reference: reference,
            transaction: transaction, effect: effect, ids: .reference, reason: reason,
            method: leaves.word("payment:method"), agreement: agreement, flags: flags)
    }

    /// The agreement that the operation is a debit of. "Regular" and "express" debits are
    /// operations of the type `recurring`, in the payment that began the series or in a separate
    /// one. If the callback does not name the series, the payment's id is used.
    private var agreement: String? {
        leaves.number("recurring:id") ?? (operationType == "recurring" ? reference : nil)
    }

    /// ecommpay's code and message for an operation that did not succeed.
    private var reason: Reason? {
        guard operationStatus != "success" else { return nil }
        return Reason(
            code: leaves.word("operation:code"), message: leaves.words(EcommpayLeaves.message))
    }

    func notUnderstood(kind: String = "payment") -> Notification {
        .notUnderstood(
            kind: kind, reference: reference, transaction: operationID, effect: .doubt,
            ids: .reference, signed: leaves.sortedParts)
    }

    /// Reads callbacks about no order: tokens and recurring registrations.
    private var withoutPayment: Notification {
        if leaves.has("request") || leaves.has("token") || leaves.has("token_status") {
            let status = leaves.word("token_status") ?? leaves.word("request:status")
            guard let id = leaves.word("request:id") else {
                return notUnderstood(kind: "token")
            }
            return Notification(
                id: EventIdentity.text("token", id, status), kind: "token",
                status: status ?? "unknown", agreement: id)
        }
        if let id = leaves.word("recurring:id") {
            let status = leaves.word("recurring:status") ?? "unknown"
            return Notification(
                id: EventIdentity.text("recurring", projectID, id, status), kind: "recurring",
                status: status, agreement: id)
        }
        return notUnderstood(kind: "unknown")
    }
}

/// The meaning of an ecommpay status for the money.
enum EcommpayStatus: Equatable {
    case success, authorized, pending, failed, canceled, expired
    /// The payment was paid, and some or all of it was returned.
    case returned
    case unknown

    /// Reads a word of `payment.status` or `operation.status`, which share this vocabulary. The
    /// SDKs spell one word in two ways.
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

    /// Whether an operation with this status ended without success, whatever its payment's status.
    var isFinalFailure: Bool { [.failed, .canceled, .expired].contains(self) }

    /// The attempt's status if nothing else decides; never paid.
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

    /// Reads `sale` and `recurring`: money taken at once. A failed operation keeps its own status,
    /// because the payment's status covers all its operations.
    ///
    /// | operation | payment | attempt |
    /// |---|---|---|
    /// | success | success, or partly or wholly returned since | paid |
    /// | success | absent | paid |
    /// | absent | success, returned | paid: the type is that of a sale |
    /// | success | anything else | as the payment, which is not over |
    /// | failed, canceled, expired | anything | as the operation |
    /// | anything else | success, returned, authorized | pending: another operation succeeded |
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

    /// A sale or an authorisation that has not succeeded: the last five rows of the table of
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

    /// Reads `auth`: money that is reserved and not taken, even if the payment's own status is a
    /// success or a failure. A failed operation keeps its own status, as for a sale.
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

    /// Reads `capture` of an authorised amount.
    var capture: Notification {
        guard let id = operationID, let operation else { return notUnderstood(kind: "capture") }
        return action("capture", operation) { .capture(id: id, $0, $1) }
    }

    /// Reads `refund`: money that is returned.
    var refund: Notification {
        guard let id = operationID, let operation else { return notUnderstood(kind: "refund") }
        return action("refund", operation) { .refund(id: id, $0, $1) }
    }

    /// Reads `reversal` of the payment, `refund reverse` of a refund, or the reversal of a
    /// chargeback. The callback does not name the operation that it undoes; the order rules find
    /// the possible ones.
    func reversal(_ kind: Reversal.Kind) -> Notification {
        guard let id = operationID, let operation else { return notUnderstood(kind: "reversal") }
        return action("reversal", operation) { .reversal(kind, id: id, $0, $1) }
    }

    /// Reads `incremental`: the reserved amount grows. The operation's sum is the increment. If the
    /// payment's own sum is greater, it is the new total.
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

    /// Reads a signed `chargeback`: the money was taken back. (ecommpay's own chargeback callbacks
    /// are not signed: see `EcommpayChargeback`.)
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

    /// Reads `cancel` of an authorisation. A failed one changes nothing.
    var cancel: Notification {
        guard let id = operationID, let operation else { return notUnderstood() }
        return action("reversal", operation, needsSum: false) {
            .reversal(.authorization, id: id, $0, $1)
        }
    }

    /// Reads `account verification`: the check whether a card or an account can be debited.
    ///
    /// | operation, else payment | sum | attempt |
    /// |---|---|---|
    /// | success | zero | paid, zero: nothing was to be taken |
    /// | success | none | pending: a missing sum is not invented |
    /// | success | more | authorized: it was reserved, and is released |
    /// | anything else | any | as the status |
    var verification: Notification {
        guard let status = operation ?? payment else {
            return notUnderstood(kind: "account_verification")
        }
        guard status == .success else {
            var verification = attempt(status, operationStatus ?? paymentStatus)
            verification.kind = "account_verification"
            return verification
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

    /// Reads a callback without an operation, which a merchant's choice of fields may produce. Only
    /// a payment whose own type is a purchase can be paid, because a payout has the same statuses.
    var paymentOnly: Notification {
        guard let payment else {
            // The customer is asked to follow a redirect; nothing else has happened yet.
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

    /// The refunded part of a payment whose own status is refunded, so that it is not shown as
    /// plainly paid if the refund's own callback never arrives. The size of a partial refund is not
    /// given, so it counts as one minor unit.
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
            // The payment's own sum would be the whole, but most refunds are partial.
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

/// One genuine notification in our words, whatever the provider calls things.
package struct Notification: Sendable, Equatable {
    /// Identity within the endpoint, canonical text made by the provider's rules: same id, same
    /// event.
    package var id: String
    /// `payment`, `capture`, `refund`, `dispute`, `reversal`; `inquiry` for an answer; other kinds
    /// verbatim in `snake_case`.
    package var kind: String
    /// One of our status words, or the provider's own word when it is none of them.
    package var status: String
    /// When it happened, by the provider's word.
    package var occurred: Timestamp?
    /// The merchant's order reference.
    package var reference: String?
    /// A reference of the operation's own, where the provider says by an id to which payment the
    /// operation belongs: it finds the order and never decides which one it is.
    package var alias: String?
    /// The provider's id of the attempt; of an operation the id that it refers to: the payment's, a
    /// capture's, a refund's.
    package var transaction: String?
    package var effect: Effect
    /// Where the provider's ids are unique, and what they may point to.
    package var ids: IDSpace
    /// How much a payment says to have been refunded of it so far: a bound, no refund.
    package var refundedAtLeast: Money?
    /// Why it failed, by the provider's own result code and message.
    package var reason: Reason?
    /// How the customer paid, in the provider's own word: `card`, `GCASH`, `VISA`.
    package var method: String?
    /// The agreement of which the payment is an instalment, by the provider's id.
    package var agreement: String?
    package var flags: [Flag]

    package init(
        id: String, kind: String, status: String, occurred: Timestamp? = nil,
        reference: String? = nil, alias: String? = nil, transaction: String? = nil,
        effect: Effect = .none, ids: IDSpace = .account, refundedAtLeast: Money? = nil,
        reason: Reason? = nil, method: String? = nil, agreement: String? = nil, flags: [Flag] = []
    ) {
        self.id = id
        self.kind = kind
        self.status = status
        self.occurred = occurred
        self.reference = reference
        self.alias = alias
        self.transaction = transaction
        self.effect = effect
        self.ids = ids
        self.refundedAtLeast = refundedAtLeast
        self.reason = reason
        self.method = method
        self.agreement = agreement
        self.flags = flags
    }
}

/// Where a provider's ids are unique, by its own word, and what an operation's pointer may lead to.
/// The raw value is the member `ids` of a record.
package enum IDSpace: String, Sendable, CaseIterable {
    /// In the account; an operation points to a payment.
    case account
    /// In the account; an operation points to a payment or to another operation.
    case anything
    /// Within the merchant's reference only: an id leads to no other order.
    case reference
}

extension Notification {
    /// The kind of what a provider answers when it is asked.
    package static let inquiryKind = "inquiry"

    /// Whether the provider was asked for it.
    package var isInquiry: Bool {
        kind == Self.inquiryKind && id.utf8.starts(with: "inquiry:".utf8)
    }
}

/// What one notification says about an order.
package enum Effect: Sendable, Equatable {
    /// The attempt that the notification's `transaction` names.
    case attempt(AttemptStatus, Money?)
    /// A capture of that attempt, by the provider's capture id.
    case capture(id: String, ActionStatus, Money?)
    /// A refund, by the provider's refund id.
    case refund(id: String, ActionStatus, Money?)
    /// A refund in words that allow several readings, by the id that it carries.
    case unclearRefund(id: String, ActionStatus, RefundClaim)
    /// A dispute, by the provider's dispute id.
    case dispute(id: String, DisputeStatus, Money?)
    /// Something that undoes what the notification's `transaction` names, by the provider's id of
    /// the undoing.
    case reversal(Reversal.Kind, id: String, ActionStatus, Money?)
    /// Counts for nothing and puts the order into `review`: the notification's flags say why.
    case doubt
    /// Genuine, but about no order: recorded as `ignored`.
    case none

    /// The amount that the notification names, if it names one.
    package var amount: Money? {
        switch self {
        case .attempt(_, let amount), .capture(_, _, let amount), .refund(_, _, let amount),
            .dispute(_, _, let amount), .reversal(_, _, _, let amount):
            amount
        case .unclearRefund(_, _, let claim): claim.amount
        case .doubt, .none: nil
        }
    }

    /// The provider's id of what it is about, when that has one of its own.
    package var id: String? {
        switch self {
        case .capture(let id, _, _), .refund(let id, _, _), .unclearRefund(let id, _, _),
            .dispute(let id, _, _), .reversal(_, let id, _, _):
            id
        case .attempt, .doubt, .none: nil
        }
    }

    /// What naming a reference beside this effect says about the order that it names.
    package var role: OrderReference.Role {
        if case .attempt = self { .payment } else { .operation }
    }
}

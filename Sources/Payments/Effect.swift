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

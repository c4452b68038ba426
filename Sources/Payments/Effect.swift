/// What one notification says about an order.
package enum Effect: Sendable, Equatable {
    /// The attempt that the notification's `transaction` names.
    case attempt(AttemptStatus, Money?)
    /// A capture of that attempt, by the provider's capture id.
    case capture(id: String, ActionStatus, Money?)
    /// A refund, by the provider's refund id.
    case refund(id: String, ActionStatus, Money?)
    /// A dispute, by the provider's dispute id.
    case dispute(id: String, DisputeStatus, Money?)
    /// Genuine, but about no order, or not understandable: recorded as `ignored`.
    case none

    /// The amount that the notification names, if it names one.
    package var amount: Money? {
        switch self {
        case .attempt(_, let amount), .capture(_, _, let amount), .refund(_, _, let amount),
            .dispute(_, _, let amount):
            amount
        case .none: nil
        }
    }
}

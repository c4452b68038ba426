import Payments

/// A query for orders: every condition must hold.
package struct OrderQuery: Sendable, Equatable {
    package var endpoint: String?
    /// Any of these statuses.
    package var statuses: [OrderStatus] = []
    /// A `Flag`, or `overdue`.
    package var flag: String?
    /// When the order was first reported: from, inclusive, and to, exclusive.
    package var from: Timestamp?
    package var to: Timestamp?
    /// In minor units, both inclusive.
    package var amountMin: Int64?
    package var amountMax: Int64?
    package var currency: String?
    /// The whole reference, or an alias.
    package var reference: String?
    /// A part of the reference.
    package var text: String?
    /// Only orders whose first sequence is below it: those after a page.
    package var cursor: UInt64?

    package init() {}
}

/// An expected order that has expired without a final status. It depends on the clock, so it is not
/// stored with the order but computed for each query.
package enum Overdue {
    /// The flag, in addition to those of `Flag`.
    package static let flag = "overdue"

    /// The statuses that are not final.
    package static let open: [OrderStatus] = [.pending, .authorized]

    package static func isOverdue(
        _ status: OrderStatus, _ expires: Timestamp?, now: Timestamp
    ) -> Bool {
        guard let expires else { return false }
        return expires < now && open.contains(status)
    }
}

import Payments

/// An order that the merchant expected, whose time is up, and that has no final status. It depends
/// on the clock, so it is no fact of the order: it is found out when somebody asks.
enum Overdue {
    /// Beside the words of `Flag`.
    static let flag = "overdue"

    /// The statuses that are not final: something is still to come.
    static let open: [OrderStatus] = [.pending, .authorized]

    static func isOverdue(_ status: OrderStatus, _ expires: Timestamp?, now: Timestamp) -> Bool {
        guard let expires else { return false }
        return expires < now && open.contains(status)
    }
}

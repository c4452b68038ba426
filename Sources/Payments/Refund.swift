/// A refund, by the provider's refund id.
package struct Refund: Sendable, Equatable, Joinable {
    package let id: String
    /// The transaction that it pays back, when a notification has named it.
    package internal(set) var transaction: String?
    package internal(set) var reports: Reports<ActionStatus>

    package var status: ActionStatus? { reports.status }
    package var amount: Money? { reports.amount }

    mutating func join(_ other: Refund) {
        transaction = lesser(transaction, other.transaction)
        reports.join(other.reports)
    }
}

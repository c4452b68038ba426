/// A dispute or chargeback, identified by the provider's dispute id.
package struct Dispute: Sendable, Equatable, Joinable {
    package let id: String
    /// The disputed transaction, if a notification has named it.
    package internal(set) var transaction: String?
    package internal(set) var reports: Reports<DisputeStatus>

    package var status: DisputeStatus? { reports.status }
    package var amount: Money? { reports.amount }

    mutating func join(_ other: Dispute) {
        transaction = lesser(transaction, other.transaction)
        reports.join(other.reports)
    }
}

/// The reported status of one dispute, in rising order. `won` and `lost` are from the merchant's
/// side.
package enum DisputeStatus: UInt8, RisingStatus {
    case open
    case closed
    case won
    case lost

    package var name: String {
        switch self {
        case .open: "open"
        case .closed: "closed"
        case .won: "won"
        case .lost: "lost"
        }
    }
}

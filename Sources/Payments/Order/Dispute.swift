/// A dispute or chargeback, identified by the provider's dispute id.
public struct Dispute: Sendable, Equatable, Joinable {
    /// The provider's id of the dispute.
    public let id: String
    /// The disputed transaction, if a notification has named it.
    public internal(set) var transaction: String?
    /// Every status that was reported, with its amounts.
    public internal(set) var reports: Reports<DisputeStatus>

    /// The highest reported status.
    public var status: DisputeStatus? { reports.status }
    /// The amount of the highest status that has one; of several claims the least.
    public var amount: Money? { reports.amount }

    mutating func join(_ other: Dispute) {
        transaction = lesser(transaction, other.transaction)
        reports.join(other.reports)
    }
}

/// The reported status of one dispute, in rising order. `won` and `lost` are from the merchant's
/// side.
public enum DisputeStatus: UInt8, RisingStatus {
    /// It is not decided.
    case open
    /// It ended, and the provider does not say for whom.
    case closed
    /// The merchant keeps the money.
    case won
    /// The customer has the money back.
    case lost

    public var name: String {
        switch self {
        case .open: "open"
        case .closed: "closed"
        case .won: "won"
        case .lost: "lost"
        }
    }
}

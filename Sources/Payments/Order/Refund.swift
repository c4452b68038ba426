/// A refund, identified by the provider's refund id.
public struct Refund: Sendable, Equatable, Joinable {
    /// The provider's id of the refund.
    public let id: String
    /// The refunded transaction, if a notification has named it.
    public internal(set) var transaction: String?
    /// Every status that was reported, with its amounts.
    public internal(set) var reports: Reports<ActionStatus>
    /// The sum refunded of the transaction up to and including this refund, if it was reported in
    /// place of this refund's own amount.
    public internal(set) var total: Money?

    /// The highest reported status.
    public var status: ActionStatus? { reports.status }
    /// The amount of the highest status that has one; of several claims the least.
    public var amount: Money? { reports.amount }

    mutating func join(_ other: Refund) {
        transaction = lesser(transaction, other.transaction)
        reports.join(other.reports)
        if let sum = other.total { total = total.map { max($0, sum) } ?? sum }
    }
}

/// The reported status of one capture, refund or reversal, in rising order.
public enum ActionStatus: UInt8, RisingStatus {
    /// Asked for and not yet decided.
    case pending
    /// It did not happen.
    case failed
    /// It happened.
    case succeeded

    public var name: String {
        switch self {
        case .pending: "pending"
        case .failed: "failed"
        case .succeeded: "succeeded"
        }
    }
}

/// A change of an earlier operation: it undoes the operation or raises the authorised amount.
/// Identified by the provider's id of the change.
public struct Reversal: Sendable, Equatable, Joinable {
    /// The kind of operation that is undone or raised. The raw value is written to disk and never
    /// changes.
    public enum Kind: UInt8, Sendable, CaseIterable, Codable {
        /// The operation with the named id: a payment, a capture or a refund.
        case operation
        /// A refund; if none is named, one with this amount.
        case refund
        /// A chargeback; if none is named, any open or lost one.
        case dispute
        /// An authorisation, or the rest of it. Undoing it never moves money.
        case authorization
        /// An authorisation that is raised by the amount.
        case increase
        /// An authorisation that is raised to the amount.
        case total

        /// The word in records and answers.
        public var name: String {
            switch self {
            case .operation: "operation"
            case .refund: "refund"
            case .dispute: "dispute"
            case .authorization: "authorization"
            case .increase: "increase"
            case .total: "total"
            }
        }

        /// Whether it raises an authorisation instead of undoing something.
        var isRaise: Bool { self == .increase || self == .total }

        /// The kind named `name` in records; nil if there is none.
        package init?(name: String) {
            guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = kind
        }
    }

    /// The provider's id of the change.
    public let id: String
    /// The kind of operation that is changed.
    public internal(set) var kind: Kind
    /// The changed operation, if a notification has named it.
    public internal(set) var transaction: String?
    /// Every status that was reported, with its amounts.
    public internal(set) var reports: Reports<ActionStatus>

    /// The highest reported status.
    public var status: ActionStatus? { reports.status }
    /// The amount of the highest status that has one; of several claims the least.
    public var amount: Money? { reports.amount }

    mutating func join(_ other: Reversal) {
        // One id should never have two kinds. If it does, the choice does not depend on the order.
        if other.kind.rawValue < kind.rawValue { kind = other.kind }
        transaction = lesser(transaction, other.transaction)
        reports.join(other.reports)
    }
}

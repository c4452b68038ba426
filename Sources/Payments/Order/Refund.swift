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

/// What was reported of one capture or refund, in rising order.
package enum ActionStatus: UInt8, RisingStatus {
    case pending
    case failed
    case succeeded

    package var name: String {
        switch self {
        case .pending: "pending"
        case .failed: "failed"
        case .succeeded: "succeeded"
        }
    }
}

/// Something that changes an earlier operation: undoes it, or raises what it set aside. By the
/// provider's id of the change.
package struct Reversal: Sendable, Equatable, Joinable {
    /// The operation that is undone or raised. The raw value is written to disk: it never changes.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// Whatever the id that it names is: a payment, a capture, a refund.
        case operation
        /// A refund; where it names none, one of this amount.
        case refund
        /// A chargeback; where it names none, the order's only one.
        case dispute
        /// An authorisation, or what is left of it. It never moves money.
        case authorization
        /// An authorisation, which is raised by the amount.
        case increase
        /// An authorisation, which is raised to the amount.
        case total

        /// The word in records and answers.
        package var name: String {
            switch self {
            case .operation: "operation"
            case .refund: "refund"
            case .dispute: "dispute"
            case .authorization: "authorization"
            case .increase: "increase"
            case .total: "total"
            }
        }

        /// Whether it sets more aside instead of undoing something.
        var isRaise: Bool { self == .increase || self == .total }

        /// The kind that a record calls `name`.
        package init?(name: String) {
            guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = kind
        }
    }

    package let id: String
    package internal(set) var kind: Kind
    /// What it undoes, when a notification has named it.
    package internal(set) var transaction: String?
    package internal(set) var reports: Reports<ActionStatus>

    package var status: ActionStatus? { reports.status }
    package var amount: Money? { reports.amount }

    mutating func join(_ other: Reversal) {
        // One id never has two kinds; if it had, the same one is kept whichever came first.
        if other.kind.rawValue < kind.rawValue { kind = other.kind }
        transaction = lesser(transaction, other.transaction)
        reports.join(other.reports)
    }
}

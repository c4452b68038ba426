/// One attempt to pay, by the provider's transaction id, with its captures.
package struct Attempt: Sendable, Equatable, Joinable {
    /// The provider's transaction id. Empty for what a notification said of an attempt without
    /// naming it.
    package let transaction: String
    package internal(set) var reports = Reports<AttemptStatus>()
    package internal(set) var captures: [Capture] = []

    init(transaction: String) {
        self.transaction = transaction
    }

    package var id: String { transaction }

    /// Nil while nothing but captures without success has named this transaction.
    ///
    /// | captures | reported | status |
    /// |---|---|---|
    /// | one succeeded | anything | `paid`: the money was taken |
    /// | some, none succeeded | paid | `authorized`: what a capture says outranks it |
    /// | some, none succeeded | anything else | the highest that was reported |
    /// | none | anything | the highest that was reported |
    package var status: AttemptStatus? {
        if captures.isEmpty { return reports.status }
        if captures.contains(where: { $0.status == .succeeded }) { return .paid }
        return reports.status == .paid ? .authorized : reports.status
    }

    /// The amount, from the first of these that has one:
    ///
    /// | captures that succeeded | source |
    /// |---|---|
    /// | some, each with its amount | their sum |
    /// | some, not each with its amount | the report with the highest status that names one |
    /// | the same, and no report names one | the sum of the captures that do |
    /// | none | the report with the highest status that names one |
    ///
    /// A capture that names no amount takes what was authorised.
    package var amount: Money? {
        if captures.isEmpty { return reports.amount }
        let captured = captures.filter { $0.status == .succeeded }
        let sum = captured.total(of: \.amount)
        let isComplete = captured.allSatisfy { $0.amount != nil }
        return isComplete ? sum ?? reports.amount : reports.amount ?? sum
    }

    /// What was set aside, or taken at once: the report of `authorized`, else that of `paid`, else
    /// what was captured. Nil while the attempt is only pending, and when nobody said how much.
    package var authorized: Money? {
        if let amount = reports.amount(of: .authorized) ?? reports.amount(of: .paid) {
            return amount
        }
        return status == .paid ? amount : nil
    }

    /// True when the amount is the sum of captures.
    var isPaidByCaptures: Bool {
        captures.contains { $0.status == .succeeded }
    }

    /// True when a capture failed and none succeeded.
    var isCaptureFailed: Bool {
        !isPaidByCaptures && captures.contains { $0.status == .failed }
    }

    /// Reported paid and failed, or a capture reported succeeded and failed, in whatever order.
    var isContradicted: Bool {
        (status == .paid || reports.contains(.paid)) && reports.contains(.failed)
            || captures.contains { $0.reports.isContradicted }
    }

    var amountsDiffer: Bool {
        reports.amountsDiffer || captures.contains { $0.reports.amountsDiffer }
    }

    /// True when the amounts differ that say how much was set aside or taken.
    var moneyDiffers: Bool {
        reports.amountsDiffer(for: .paid) || reports.amountsDiffer(for: .authorized)
            || captures.contains { $0.reports.amountsDiffer(for: .succeeded) }
    }

    /// True when every amount of the attempt, and of those captures that did not fail, is in
    /// `currency`.
    func isAll(in currency: Currency) -> Bool {
        reports.amountsAreAll(in: currency)
            && captures.allSatisfy {
                $0.status == .failed || $0.reports.amountsAreAll(in: currency)
            }
    }

    mutating func join(_ other: Attempt) {
        reports.join(other.reports)
        captures.join(contentsOf: other.captures)
    }
}

extension Reports<ActionStatus> {
    /// Reported succeeded and failed, in whatever order.
    var isContradicted: Bool { contains(.succeeded) && contains(.failed) }
}

/// What was reported of one attempt to pay, in rising order.
///
/// `failed` is above `canceled` and `expired` because it is the most definite of the three, and
/// `paid` above all: a late failure never undoes a payment.
package enum AttemptStatus: UInt8, RisingStatus {
    case pending
    case authorized
    case expired
    case canceled
    case failed
    case paid

    package var name: String {
        switch self {
        case .pending: "pending"
        case .authorized: "authorized"
        case .expired: "expired"
        case .canceled: "canceled"
        case .failed: "failed"
        case .paid: "paid"
        }
    }
}

/// A capture of an authorised attempt, by the provider's capture id.
package struct Capture: Sendable, Equatable, Joinable {
    package let id: String
    package internal(set) var reports: Reports<ActionStatus>

    package var status: ActionStatus? { reports.status }
    package var amount: Money? { reports.amount }

    mutating func join(_ other: Capture) {
        reports.join(other.reports)
    }
}

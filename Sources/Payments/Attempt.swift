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

    /// Nil while only refunds or disputes, or captures without success, have named this
    /// transaction.
    ///
    /// | a capture succeeded | status |
    /// |---|---|
    /// | yes | `paid`: the money was taken, whatever else was reported |
    /// | no | the highest that was reported |
    package var status: AttemptStatus? {
        captures.contains { $0.status == .succeeded } ? .paid : reports.status
    }

    /// The amount, from the first of these that has one:
    ///
    /// | | source |
    /// |---|---|
    /// | 1 | the explicit report of `paid` |
    /// | 2 | the sum of the successful captures, when each names its amount |
    /// | 3 | the report with the highest status that names an amount |
    /// | 4 | the sum of those successful captures that name their amount |
    ///
    /// Row 3 stands before row 4 because a capture that names no amount takes what was authorised.
    package var amount: Money? {
        if let explicit = reports.amount(of: .paid) { return explicit }
        if captures.isEmpty { return reports.amount }
        let captured = captures.filter { $0.status == .succeeded }
        let sum = captured.total(of: \.amount)
        let isComplete = captured.allSatisfy { $0.amount != nil }
        return isComplete ? sum ?? reports.amount : reports.amount ?? sum
    }

    /// True when the amount comes from captures, because no report of `paid` names one.
    var isPaidByCaptures: Bool {
        reports.amount(of: .paid) == nil && captures.contains { $0.status == .succeeded }
    }

    /// Reported paid and failed, or a capture reported succeeded and failed, in whatever order.
    var isContradicted: Bool {
        status == .paid && reports.contains(.failed)
            || captures.contains { $0.reports.isContradicted }
    }

    var amountsDiffer: Bool {
        reports.amountsDiffer || captures.contains { $0.reports.amountsDiffer }
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

/// All that was reported of one attempt, capture, refund or dispute: at most one entry a status,
/// rising.
///
/// Joining is the union of the statuses and of their amounts. It is commutative,
/// associative and idempotent, and that is why the order of arrival cannot matter.
package struct Reports<Status: RisingStatus>: Sendable, Hashable {
    package private(set) var entries: [Report<Status>]

    package init() {
        entries = []
    }

    package init(_ status: Status, _ amount: Money?, reason: Reason? = nil) {
        entries = [
            Report(status: status, amounts: amount.map(AmountClaims.init), reason: reason)
        ]
    }

    /// Nil unless the statuses rise.
    init?(rising entries: [Report<Status>]) {
        for index in entries.indices.dropFirst()
        where entries[index - 1].status >= entries[index].status {
            return nil
        }
        self.entries = entries
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The status that counts: the highest.
    package var status: Status? { entries.isEmpty ? nil : entries[entries.endIndex - 1].status }

    package func contains(_ status: Status) -> Bool {
        index(of: status) != nil
    }

    /// The amount of the highest status that has one. Of several claims for that status the least.
    package var amount: Money? {
        for index in entries.indices.reversed() {
            if let amount = entries[index].amounts?.lowest { return amount }
        }
        return nil
    }

    /// The least amount that was reported with `status`.
    package func amount(of status: Status) -> Money? {
        index(of: status).flatMap { entries[$0].amounts?.lowest }
    }

    /// All amounts that were reported with `status`.
    package func claims(of status: Status) -> AmountClaims? {
        index(of: status).flatMap { entries[$0].amounts }
    }

    /// True when `status` was reported with several amounts.
    func amountsDiffer(for status: Status) -> Bool {
        index(of: status).map { entries[$0].amounts?.isOneAmount == false } ?? false
    }

    /// By its place: the rules ask often, and to take a report out of the array is to copy it.
    private func index(of status: Status) -> Int? {
        entries.indices.first { entries[$0].status == status }
    }

    /// Why it has the status that counts, where somebody said so.
    package var reason: Reason? { entries.last?.reason }

    /// True when one status was reported with two amounts.
    package var amountsDiffer: Bool {
        entries.indices.contains { entries[$0].amounts?.isOneAmount == false }
    }

    /// True when every amount that was reported is in `currency`.
    package func amountsAreAll(in currency: Currency) -> Bool {
        entries.allSatisfy { report in
            report.amounts?.areAll(in: currency) ?? true
        }
    }

    /// True when every amount that was reported is `amount`.
    package func amountsAreAll(_ amount: Money) -> Bool {
        entries.allSatisfy { $0.amounts?.isExactly(amount) ?? true }
    }

    mutating func join(_ other: Reports) {
        for report in other.entries { join(report) }
    }

    private mutating func join(_ report: Report<Status>) {
        let index = entries.firstIndex { $0.status >= report.status } ?? entries.endIndex
        guard index < entries.endIndex, entries[index].status == report.status else {
            entries.insert(report, at: index)
            return
        }
        entries[index].reason = Reason.lesser(entries[index].reason, report.reason)
        guard let amounts = report.amounts else { return }
        if entries[index].amounts == nil {
            entries[index].amounts = amounts
        } else {
            entries[index].amounts?.join(amounts)
        }
    }
}

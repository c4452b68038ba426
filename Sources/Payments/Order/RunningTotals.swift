/// The refunds whose own amount is unknown, because each was reported with the sum that had been
/// refunded until then.
///
/// For each payment the greatest of these sums counts. It includes the other refunds of that
/// payment that were reported with an amount, except those that came after it:
///
/// | refunds of the payment | refunded |
/// |---|---|
/// | with totals only | the greatest total |
/// | also one with an amount and a total | the same |
/// | also one with an amount only | the greatest total, or this amount more |
struct RunningTotals {
    /// The refunds that count by their own amount.
    let others: [Refund]

    private let groups: [[Refund]]

    /// - Parameter refunds: The successful refunds of an order.
    init(_ refunds: [Refund]) {
        guard refunds.contains(where: \.countsByTotal) else {
            others = refunds
            groups = []
            return
        }
        others = refunds.filter { !$0.countsByTotal }
        let ordered = refunds.sorted {
            utf8Order($0.transaction ?? "", $1.transaction ?? "") < 0
        }
        var groups: [[Refund]] = []
        for refund in ordered {
            if let last = groups.last?.last, last.transaction.isExactly(refund.transaction) {
                groups[groups.count - 1].append(refund)
            } else {
                groups.append([refund])
            }
        }
        self.groups = groups.filter { $0.contains(where: \.countsByTotal) }
    }

    /// The possible amounts of these refunds, to be added to those of ``others``; empty if a total
    /// is in another currency.
    func additions(in currency: Currency) -> Set<Int64> {
        var leasts: Int64 = 0
        var mosts: Int64 = 0
        for group in groups {
            let totals = group.compactMap(\.total)
            guard totals.allSatisfy({ $0.currency == currency }) else { return [] }
            let total = totals.map(\.minor).max() ?? 0
            let listed = group.filter { !$0.countsByTotal && $0.amount?.currency == currency }
            // A refund with both is among those that its total sums up.
            let within = Self.sum(listed.filter { $0.total != nil })
            let apart = Self.sum(listed.filter { $0.total == nil })
            let most = max(0, total - within)
            mosts = mosts.adding(most)
            leasts = leasts.adding(most >= apart ? most - apart : most)
        }
        return [leasts, mosts]
    }

    private static func sum(_ refunds: [Refund]) -> Int64 {
        refunds.reduce(0) { $0.adding($1.amount?.minor ?? 0) }
    }
}

extension Refund {
    /// Whether only the sum until then is known.
    fileprivate var countsByTotal: Bool { amount == nil && total != nil }
}

/// The successful refunds of an order, added up.
struct RefundTotal {
    /// In the currency of the order's amount when there is one; zero when nothing was refunded in
    /// it.
    var sum: Money?
    /// True when a successful refund does not say how much.
    var hasUnknownAmount = false

    /// How much of what was paid has gone back.
    enum Share {
        case nothing
        case part
        case whole
    }

    /// | refunded | share |
    /// |---|---|
    /// | zero, and every amount is known | `nothing` |
    /// | zero, but not every amount is known | `part` |
    /// | less than the amount, or that amount is unknown | `part` |
    /// | the amount or more | `whole` |
    func share(of amount: Money?) -> Share {
        let refunded = sum?.minor ?? 0
        if refunded == 0 { return hasUnknownAmount ? .part : .nothing }
        guard let amount else { return .part }
        return refunded < amount.minor ? .part : .whole
    }

    /// True when more went back than came in. Nothing has come in until an attempt is paid; when
    /// one is and nobody said how much, nothing is known to be too much.
    func exceeds(_ amount: Money?, isPaid: Bool) -> Bool {
        let refunded = sum?.minor ?? 0
        guard isPaid else { return refunded > 0 || hasUnknownAmount }
        guard let amount else { return false }
        return refunded > amount.minor
    }
}

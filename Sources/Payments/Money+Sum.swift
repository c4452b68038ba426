extension Sequence {
    /// The sum of the amounts in the currency of the first that there is; nil when there is none.
    ///
    /// It stops at the ends of `Int64` instead of trapping: no real sum gets there.
    func total(of amount: (Element) -> Money?) -> Money? {
        var sum: Money?
        for element in self {
            guard let next = amount(element) else { continue }
            guard let current = sum else {
                sum = next
                continue
            }
            if current.currency == next.currency { sum?.minor = current.minor.adding(next.minor) }
        }
        return sum
    }
}

extension Int64 {
    /// The sum of two amounts that are not negative, or `max` when it is greater.
    func adding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

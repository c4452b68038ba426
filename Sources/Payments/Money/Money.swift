/// An amount: whole minor units of one currency (sen, cents, fils). Never a floating-point number.
package struct Money: Sendable, Hashable, Comparable {
    package var minor: Int64
    package var currency: Currency

    package init(minor: Int64, currency: Currency) {
        self.minor = minor
        self.currency = currency
    }

    /// By currency code, then by amount. Across currencies the order means nothing but is always
    /// the same, which is all that a rule needs that must not depend on the order of arrival.
    package static func < (left: Money, right: Money) -> Bool {
        left.currency == right.currency
            ? left.minor < right.minor : left.currency < right.currency
    }

    /// True when both are in one currency and this is the smaller.
    func isLess(than other: Money) -> Bool {
        currency == other.currency && minor < other.minor
    }
}

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

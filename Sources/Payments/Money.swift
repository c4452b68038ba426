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
}

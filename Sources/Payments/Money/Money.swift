/// An amount: whole minor units of one currency (sen, cents, fils). Never a floating-point number.
///
/// ```swift
/// let price = Money(minor: 4200, currency: ringgit)
/// price.description  // "42.00 MYR"
/// ```
public struct Money: Sendable, Hashable, Comparable {
    /// Minor units: cents, sen, whole yen.
    public var minor: Int64
    /// The currency.
    public var currency: Currency

    /// Creates an amount from minor units.
    public init(minor: Int64, currency: Currency) {
        self.minor = minor
        self.currency = currency
    }

    /// By currency code, then by amount. Across currencies the order has no meaning, but it is
    /// total, so a rule that takes the least of several does not depend on the order of arrival.
    public static func < (left: Money, right: Money) -> Bool {
        left.currency == right.currency
            ? left.minor < right.minor : left.currency < right.currency
    }

    /// Whether both are in one currency and this amount is less.
    func isLess(than other: Money) -> Bool {
        currency == other.currency && minor < other.minor
    }
}

extension Sequence {
    /// Returns the sum of the amounts in the currency of the first one; nil if there are none.
    ///
    /// The sum saturates at `Int64.max` instead of trapping; no real sum is that large.
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
    /// Returns the sum of two non-negative amounts, saturating at `max`.
    func adding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// Exact decimal text: `92.00` EUR is 9,200 minor units, `5` JPY is 5.
extension Money {
    /// Reads digits with an optional point and fraction: no sign, exponent, space or separator.
    ///
    /// Returns nil if the text has another form, has more fraction digits than the currency, or
    /// does not fit. With `allowingTrailingZeros`, further fraction digits may be zeros: a sender
    /// that writes two decimals for every currency means 5 yen by `5.00`.
    ///
    /// ```swift
    /// Money(decimal: "92.5", currency: euro)?.minor  // 9250
    /// Money(decimal: "5.00", currency: yen)  // nil: yen have no decimals
    /// Money(decimal: "5.00", currency: yen, allowingTrailingZeros: true)?.minor  // 5
    /// ```
    public init?(decimal: String, currency: Currency, allowingTrailingZeros: Bool = false) {
        let exponent = currency.exponent
        var minor: Int64 = 0
        var wholeDigits = 0
        var fractionDigits = 0
        var pointSeen = false
        for byte in decimal.utf8 {
            if byte == UInt8(ascii: ".") {
                guard !pointSeen, wholeDigits > 0 else { return nil }
                pointSeen = true
                continue
            }
            guard let digit = decimalDigit(byte) else { return nil }
            if pointSeen { fractionDigits += 1 } else { wholeDigits += 1 }
            if fractionDigits > exponent {
                guard allowingTrailingZeros, digit == 0 else { return nil }
                continue
            }
            guard let longer = minor.appending(digit: digit) else { return nil }
            minor = longer
        }
        guard wholeDigits > 0, !pointSeen || fractionDigits > 0 else { return nil }
        for _ in min(fractionDigits, exponent)..<exponent {
            guard let longer = minor.appending(digit: 0) else { return nil }
            minor = longer
        }
        self.init(minor: minor, currency: currency)
    }

    /// Reads minor units written as digits only (`"4200"`), as several providers send them.
    public init?(minorDigits: String, currency: Currency) {
        self.init(minorDigits: minorDigits.utf8.span, currency: currency)
    }

    /// Reads minor units written as ASCII digits only.
    package init?(minorDigits: Span<UInt8>, currency: Currency) {
        var minor: Int64 = 0
        for index in minorDigits.indices {
            guard let digit = decimalDigit(minorDigits[index]),
                let longer = minor.appending(digit: digit)
            else { return nil }
            minor = longer
        }
        guard !minorDigits.isEmpty else { return nil }
        self.init(minor: minor, currency: currency)
    }

    /// The amount as decimal text with all digits of its currency: `92.00`, `5`, `-0.005`.
    public var decimal: String {
        let exponent = currency.exponent
        var digits = Array(String(minor.magnitude).utf8)
        if digits.count <= exponent {
            digits.insert(
                contentsOf: repeatElement(UInt8(ascii: "0"), count: exponent + 1 - digits.count),
                at: 0)
        }
        if exponent > 0 { digits.insert(UInt8(ascii: "."), at: digits.count - exponent) }
        if minor < 0 { digits.insert(UInt8(ascii: "-"), at: 0) }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension Money: CustomStringConvertible {
    /// For display: `42.00 MYR`.
    public var description: String { "\(decimal) \(currency.code)" }
}

/// The value of an ASCII digit, or nil for any other byte.
func decimalDigit(_ byte: UInt8) -> Int64? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? Int64(value) : nil
}

extension Int64 {
    /// Returns this number with one more decimal digit appended, or nil if it does not fit.
    fileprivate func appending(digit: Int64) -> Int64? {
        let (tens, overflow) = multipliedReportingOverflow(by: 10)
        let (sum, carry) = tens.addingReportingOverflow(digit)
        return overflow || carry ? nil : sum
    }
}

/// Decimal text, exactly: `92.00` EUR is 9,200 minor units, `5` JPY is 5.
extension Money {
    /// Reads digits with an optional point and fraction: no sign, exponent, space or separator.
    ///
    /// Nil when the text is anything else, when it has more fraction digits than the currency, or
    /// when the amount does not fit. `allowingTrailingZeros` accepts further digits as long as they
    /// are zeros: a sender that writes two decimals for every currency means 5 yen by `5.00`.
    package init?(decimal: String, currency: Currency, allowingTrailingZeros: Bool = false) {
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
    package init?(minorDigits: String, currency: Currency) {
        self.init(minorDigits: minorDigits.utf8.span, currency: currency)
    }

    /// As `init(minorDigits:)`, from the bytes of a text.
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
    package var decimal: String {
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
    /// For people: `42.00 MYR`.
    package var description: String { "\(decimal) \(currency.code)" }
}

/// The value of an ASCII digit, or nil for any other byte.
func decimalDigit(_ byte: UInt8) -> Int64? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? Int64(value) : nil
}

extension Int64 {
    /// This number with one more decimal digit behind it, or nil when it does not fit.
    fileprivate func appending(digit: Int64) -> Int64? {
        let (tens, overflow) = multipliedReportingOverflow(by: 10)
        let (sum, carry) = tens.addingReportingOverflow(digit)
        return overflow || carry ? nil : sum
    }
}

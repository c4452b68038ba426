import Payments
import Testing

@Suite struct MoneyTests {
    @Test func `the order is by currency then by amount`() {
        #expect(money(1) < money(2))
        #expect(money(9, "EUR") < money(1, "MYR"))
        #expect(!(money(1) < money(1)))
    }
}

@Suite struct MoneyDecimalTests {
    @Test(
        arguments: [
            ("92.00", "EUR", 9200), ("92", "EUR", 9200), ("92.5", "EUR", 9250), ("0.01", "EUR", 1),
            ("0", "EUR", 0), ("007.10", "EUR", 710), ("5", "JPY", 5), ("1.234", "KWD", 1234),
            ("1.2", "KWD", 1200), ("0.0001", "CLF", 1), ("92233720368547758.07", "EUR", .max),
            ("9223372036854775807", "JPY", .max),
            ("000000000000000000000000000001", "JPY", 1),
        ] as [(String, String, Int64)])
    func `decimal text is read exactly`(text: String, code: String, minor: Int64) {
        #expect(Money(decimal: text, currency: currency(code)) == money(minor, code))
    }

    @Test(arguments: [
        ("", "EUR"), (".", "EUR"), (".5", "EUR"), ("5.", "EUR"), ("5.", "JPY"), ("1.234", "EUR"),
        ("1.230", "EUR"), ("5.0", "JPY"), ("1.00001", "CLF"), ("+5", "EUR"), ("-5", "EUR"),
        ("1e3", "EUR"), ("1E3", "EUR"), ("0x10", "EUR"), ("1,00", "EUR"), ("1 000", "EUR"),
        (" 1", "EUR"), ("1 ", "EUR"), ("1.2.3", "EUR"), ("1..2", "EUR"), ("NaN", "EUR"),
        ("inf", "EUR"), ("١", "EUR"), ("1\u{0}", "EUR"), ("92233720368547758.08", "EUR"),
        ("92233720368547759", "EUR"), ("9223372036854775808", "JPY"),
        ("99999999999999999999999", "EUR"), ("922337203685477581", "CLF"),
    ])
    func `text that is not exactly an amount is refused`(text: String, code: String) {
        #expect(Money(decimal: text, currency: currency(code)) == nil)
    }

    @Test func `further zeros are read-only when asked for`() {
        let yen = currency("JPY")
        #expect(
            Money(decimal: "5.00", currency: yen, allowingTrailingZeros: true) == money(5, "JPY"))
        #expect(Money(decimal: "5.10", currency: yen, allowingTrailingZeros: true) == nil)
        #expect(Money(decimal: "5.", currency: yen, allowingTrailingZeros: true) == nil)
    }

    @Test(
        arguments: [
            ("4200", 4200), ("0", 0), ("0042", 42), ("9223372036854775807", .max),
        ] as [(String, Int64)])
    func `minor digits are minor units`(text: String, minor: Int64) {
        #expect(Money(minorDigits: text, currency: currency("MYR")) == money(minor))
    }

    @Test(arguments: ["", "+1", "-1", "1.0", "1e2", " 1", "9223372036854775808"])
    func `minor digits are digits only`(text: String) {
        #expect(Money(minorDigits: text, currency: currency("MYR")) == nil)
    }

    @Test(
        arguments: [
            (9200, "EUR", "92.00"), (5, "JPY", "5"), (0, "EUR", "0.00"), (1, "EUR", "0.01"),
            (0, "JPY", "0"), (1234, "KWD", "1.234"), (1, "CLF", "0.0001"), (-5, "EUR", "-0.05"),
            (.max, "EUR", "92233720368547758.07"), (.min, "EUR", "-92233720368547758.08"),
        ] as [(Int64, String, String)])
    func `an amount is written with all digits of its currency`(
        minor: Int64, code: String, text: String
    ) {
        #expect(money(minor, code).decimal == text)
        if minor >= 0 {
            #expect(Money(decimal: text, currency: currency(code)) == money(minor, code))
        }
    }

    @Test func `an amount is described with its currency`() {
        #expect("\(money(4200))" == "42.00 MYR")
    }
}

import Payments
import TestSupport
import Testing

@Suite struct CurrencyTests {
    @Test(arguments: [
        ("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 0),
        ("BHD IQD JOD KWD LYD OMR TND", 3), ("CLF UYW", 4),
        ("EUR USD MYR HKD TWD IDR HUF CNY MRU MGA ZWG AED XAU QQQ AAA ZZZ", 2),
    ])
    func `the minor unit is the one of ISO 4217`(codes: String, exponent: Int) throws {
        for code in codes.split(separator: " ") {
            let currency = try #require(Currency(String(code)))
            #expect(currency.exponent == exponent, "\(code)")
            #expect(currency.code == code)
        }
    }

    @Test(arguments: ["", "E", "EU", "EURO", "eur", "EU1", "EÜR", "E R", "EUR ", "\u{0}EU"])
    func `anything but three capital letters is no code`(text: String) {
        #expect(Currency(text) == nil)
    }

    @Test func `codes stand in the order of the alphabet`() {
        #expect(currency("AAA").index == 0)
        #expect(currency("ZZZ").index == Currency.indexCount - 1)
        #expect(currency("EUR") < currency("USD"))
        #expect(Currency(index: currency("KWD").index) == currency("KWD"))
        #expect(Currency(index: Currency.indexCount) == nil)
    }

    @Test func `what ISO 4217 does not list can be written but is no money`() {
        for code in ["MYR", "JPY", "KWD", "EUR", "XOF", "CLF", "ZWG"] {
            #expect(Currency(listed: code) == Currency(code))
        }
        for code in ["ZZZ", "XXX", "XTS", "XAU", "BTC", "eur", ""] {
            #expect(Currency(listed: code) == nil)
        }
        #expect(Currency("ZZZ")?.code == "ZZZ")
    }

    /// The currencies that config/openapi.yaml allows in a request.
    @Test func `the document lists what can be paid with`() throws {
        let document = try SourceTree.text("config/openapi.yaml")
        let list = try #require(
            document.firstMatch(of: /ListedCurrency:[^\[]*enum:\n *\[([^\]]*)\]/)?.1)
        let documented = list.matches(of: /[A-Z]{3}/).map { String($0.0) }
        let listed = (0..<Currency.indexCount).compactMap { Currency(index: $0) }
            .filter(\.isListed).map(\.code)
        #expect(documented == listed)
    }
}

/// An ISO 4217 currency code, three capital letters in two bytes.
///
/// An unlisted code can be written and read, so that no record becomes unreadable. A notification
/// with an amount in an unlisted currency is not understood (``isListed``).
public struct Currency: Sendable, Hashable, Comparable {
    /// Position in alphabetical order, from 0 for `AAA` to 17,575 for `ZZZ`; also the form on disk.
    package let index: UInt16

    /// The number of possible codes: one more than the greatest index.
    package static let indexCount: UInt16 = 26 * 26 * 26

    /// Returns nil unless `code` is exactly three letters `A` to `Z`.
    public init?(_ code: String) {
        self.init(utf8: code.utf8.span)
    }

    /// Returns nil unless `utf8` is exactly three letters `A` to `Z`.
    package init?(utf8: Span<UInt8>) {
        guard utf8.count == 3 else { return nil }
        var index: UInt16 = 0
        for place in utf8.indices {
            guard case UInt8(ascii: "A")...UInt8(ascii: "Z") = utf8[place] else { return nil }
            index = index * 26 + UInt16(utf8[place] - UInt8(ascii: "A"))
        }
        self.index = index
    }

    /// Returns nil unless `code` is a listed currency.
    package init?(listed code: Span<UInt8>) {
        guard let currency = Currency(utf8: code), currency.isListed else { return nil }
        self = currency
    }

    /// Returns nil unless `code` is a listed currency.
    public init?(listed code: String) {
        self.init(listed: code.utf8.span)
    }

    /// The currency with this index; nil if it is out of range.
    package init?(index: UInt16) {
        guard index < Self.indexCount else { return nil }
        self.index = index
    }

    /// Whether ISO 4217 lists the code as a means of payment (list one, with codes that left it in
    /// the last years). The number of decimal digits of any other code is unknown, so an amount in
    /// it cannot be read.
    public var isListed: Bool { Self.listed.contains(index) }

    /// The three letters.
    public var code: String {
        let letters = [index / 676, index / 26 % 26, index % 26]
        return String(decoding: letters.map { UInt8(ascii: "A") + UInt8($0) }, as: UTF8.self)
    }

    /// Number of decimal digits of the minor unit (ISO 4217 list one, column "Minor unit").
    public var exponent: Int {
        if Self.exponent0.contains(index) { return 0 }
        if Self.exponent3.contains(index) { return 3 }
        if Self.exponent4.contains(index) { return 4 }
        return 2
    }

    public static func < (left: Currency, right: Currency) -> Bool {
        left.index < right.index
    }

    private static let listed = Set(
        indices(
            of: """
                AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL \
                BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNH CNY COP COU CRC CUC CUP CVE \
                CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD \
                HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD \
                KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN \
                MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD \
                RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS \
                TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST \
                XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL
                """))
    private static let exponent0 = indices(
        of: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF")
    private static let exponent3 = indices(of: "BHD IQD JOD KWD LYD OMR TND")
    private static let exponent4 = indices(of: "CLF UYW")

    private static func indices(of codes: String) -> [UInt16] {
        codes.utf8.split(separator: UInt8(ascii: " ")).compactMap { Currency(utf8: $0.span)?.index }
    }
}

/// A JSON number as the languages of ecommpay's official SDKs print it. These SDKs parse the body
/// and print the parsed values again.
struct EcommpayNumber {
    enum Form: CaseIterable {
        /// `100.0` is `100`, `1.10` is `1.1`, `1e2` is `100`. Works on digits, so nothing is
        /// rounded.
        case shortest
        /// PHP's `(string)` with `precision` 14, its default: `1.0E+25`. An integer that fits into
        /// 64 bits stays exact.
        case php
        /// PHP's `(string)` with `precision` -1.
        case phpExact
        /// JavaScript's `String(number)`: every number is a double.
        case javaScript
        /// Python's `str`: an integer stays exact, a float is `1e+25` or `100.0`.
        case python
        /// Go's `strconv.Itoa(int(value))`: the Go SDK drops the fraction.
        case goInteger
        /// Go's `%v` of a `float64`, as an SDK without a type switch prints it: `1e+06`.
        case goGeneral
        /// Java's `toString` of a `Long` or a `Double`: `1.0E25`.
        case java
    }

    /// Maximum length in bytes of a number that is reprinted. A double has fewer than 20
    /// significant digits.
    static let lexemeBytesMax = 40

    /// Whether some form may differ from this literal. `%v` is the first to use an exponent: beyond
    /// six digits.
    static func dependsOnPrinter(_ lexeme: Span<UInt8>) -> Bool {
        guard lexeme.count <= lexemeBytesMax else { return false }
        guard lexeme.count <= 6, lexeme[0] != UInt8(ascii: "-") else { return true }
        for index in lexeme.indices where lexeme[index] < 0x30 || lexeme[index] > 0x39 {
            return true
        }
        return false
    }

    /// Whether these bytes are a number as written in JSON or by one of the SDKs.
    static func isNumber(_ text: String.UTF8View) -> Bool {
        var rest = text[...]
        func digits() -> Bool {
            let count = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }.count
            rest = rest.dropFirst(count)
            return count > 0
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        guard digits() else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() else { return false }
        }
        guard let mark = rest.first else { return true }
        guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return false }
        rest = rest.dropFirst()
        if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
            rest = rest.dropFirst()
        }
        return digits() && rest.isEmpty
    }

    /// Cost of parsing one number, and of printing it in one form, in bytes hashed.
    static let parsingBytes = 256
    static let printingBytes = 64

    private let lexeme: String
    private let isInteger: Bool

    /// The parsed number; nil if the literal is too long or exceeds the range of a double.
    private let value: Double?
    private let digits: DecimalDigits
    private let fourteenDigits: DecimalDigits

    init(_ lexeme: String) {
        self.lexeme = lexeme
        isInteger = lexeme.utf8.allSatisfy { $0 == 0x2d || ($0 >= 0x30 && $0 <= 0x39) }
        let isTooLong = lexeme.utf8.count > Self.lexemeBytesMax
        value = isTooLong ? nil : Double(lexeme).flatMap { $0.isFinite ? $0 : nil }
        digits = DecimalDigits(value ?? 0)
        // A double has more than 15 significant digits, except near zero.
        fourteenDigits =
            digits.count <= 14 && value?.isSubnormal != true
            ? digits : DecimalDigits(value ?? 0, significant: 14)
    }

    /// Appends the number in this form, or its literal if it has no value.
    func append(_ form: Form, to text: inout [UInt8]) {
        guard let value, form != .shortest else {
            text += (form == .shortest ? shortestNumber(lexeme) : lexeme).utf8
            return
        }
        switch form {
        case .shortest: break
        case .php, .phpExact:
            // PHP parses "-0" as a float.
            if isInteger, lexeme != "-0", Int64(lexeme) != nil {
                text += lexeme.utf8
            } else if form == .php {
                fourteenDigits.appendPHP(precision: 14, to: &text)
            } else {
                digits.appendPHP(precision: 17, to: &text)
            }
        case .javaScript: digits.appendJavaScript(to: &text)
        case .python, .java:
            if isInteger {
                text += (lexeme == "-0" ? "0" : lexeme).utf8
            } else if form == .python {
                digits.appendPython(to: &text)
            } else {
                digits.appendJava(to: &text)
            }
        case .goInteger:
            // Out of range the result depends on the processor; this is the one of x86-64.
            text += String(Int64(exactly: value.rounded(.towardZero)) ?? .min).utf8
        case .goGeneral: digits.appendGoGeneral(to: &text)
        }
    }

    /// Returns `lexeme` in this form.
    static func text(_ lexeme: String, _ form: Form) -> String {
        var text: [UInt8] = []
        EcommpayNumber(lexeme).append(form, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// Returns a JSON number as a sender prints it after parsing: `100.0` is `100`, `1.10` is `1.1`,
/// `1e2` is `100`.
///
/// Works on the digits, never through `Double`. A number whose result would exceed 40 characters is
/// returned unchanged.
func shortestNumber(_ lexeme: String) -> String {
    var digits: [UInt8] = []
    var pointAt: Int?
    var rest = lexeme.utf8[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest = rest.dropFirst() }
    while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
        if byte == UInt8(ascii: ".") { pointAt = digits.count } else { digits.append(byte) }
        rest = rest.dropFirst()
    }
    let exponent = rest.isEmpty ? 0 : Int(String(rest.dropFirst()) ?? "")
    guard let exponent, abs(exponent) <= 40, digits.count <= 40 else { return lexeme }
    var point = (pointAt ?? digits.count) + exponent
    while point < 1 {
        digits.insert(UInt8(ascii: "0"), at: 0)
        point += 1
    }
    while digits.count < point { digits.append(UInt8(ascii: "0")) }
    let zero = UInt8(ascii: "0")
    var whole = digits[..<point].drop { $0 == zero }
    if whole.isEmpty { whole = [zero] }
    var fraction = digits[point...]
    while fraction.last == zero { fraction.removeLast() }
    let number = whole + (fraction.isEmpty ? [] : [UInt8(ascii: ".")] + fraction)
    guard number.count <= 40 else { return lexeme }
    return (isNegative ? "-" : "") + String(decoding: number, as: UTF8.self)
}

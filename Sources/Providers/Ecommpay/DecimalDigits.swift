#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A double as `0.d₁d₂… × 10^point`, and its text in several languages.
struct DecimalDigits {
    private let isNegative: Bool

    /// ASCII digits, without zeros at either end; one `0` for zero.
    private let digits: [UInt8]
    private let point: Int

    private static let zero = UInt8(ascii: "0")

    /// Creates the fewest digits that give this double again, which is what most languages print.
    init(_ value: Double) {
        self.init(Array(value.description.utf8))
    }

    /// Creates the digits of a double, correctly rounded to a number of significant digits.
    init(_ value: Double, significant: Int) {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = withVaList([Int32(significant - 1), value]) { arguments in
            vsnprintf(&buffer, buffer.count, "%.*e", arguments)
        }
        self.init(buffer.prefix(Int(count)).map { UInt8($0) })
    }

    /// - Parameter text: A finite double as Swift and C print it: `-1.25e-05`, `100.0`.
    private init(_ text: [UInt8]) {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count)
        var wholeCount: Int?
        var leadingZeros = 0
        var exponent = 0
        var isNegativeExponent = false
        var offset = text.first == UInt8(ascii: "-") ? 1 : 0
        isNegative = offset == 1
        while offset < text.count, text[offset] != UInt8(ascii: "e") {
            if text[offset] == UInt8(ascii: ".") {
                wholeCount = digits.count + leadingZeros
            } else if text[offset] == Self.zero, digits.isEmpty {
                leadingZeros += 1
            } else {
                digits.append(text[offset])
            }
            offset += 1
        }
        let position = (wholeCount ?? (digits.count + leadingZeros)) - leadingZeros
        while offset < text.count {
            if text[offset] == UInt8(ascii: "-") { isNegativeExponent = true }
            if text[offset] >= Self.zero, text[offset] <= Self.zero + 9 {
                exponent = exponent * 10 + Int(text[offset] - Self.zero)
            }
            offset += 1
        }
        while digits.last == Self.zero { digits.removeLast() }
        point = digits.isEmpty ? 1 : position + (isNegativeExponent ? -exponent : exponent)
        self.digits = digits.isEmpty ? [Self.zero] : digits
    }

    /// Number of significant digits.
    var count: Int { digits.count }

    private var isZero: Bool { digits == [Self.zero] }

    // MARK: Languages

    /// Appends the text of PHP's `php_gcvt`.
    func appendPHP(precision: Int, to text: inout [UInt8]) {
        guard !isZero, point > precision || point < -3 else { return appendPlain(to: &text) }
        appendMantissa(withFraction: true, to: &text)
        appendExponent("E", plus: "+", digitsMin: 1, to: &text)
    }

    /// Appends the text of ECMA-262, Number::toString, which has no negative zero.
    func appendJavaScript(to text: inout [UInt8]) {
        guard !isZero else { return text.append(Self.zero) }
        guard point > 21 || point <= -6 else { return appendPlain(to: &text) }
        appendMantissa(to: &text)
        appendExponent("e", plus: "+", digitsMin: 1, to: &text)
    }

    /// Appends the text of Python's `float.__repr__`.
    func appendPython(to text: inout [UInt8]) {
        guard !isZero, point > 16 || point <= -4 else {
            return appendPlain(withFraction: true, to: &text)
        }
        appendMantissa(to: &text)
        appendExponent("e", plus: "+", digitsMin: 2, to: &text)
    }

    /// Appends the text of Go's `strconv.FormatFloat(value, 'g', -1, 64)`, which `%v` uses.
    func appendGoGeneral(to text: inout [UInt8]) {
        guard !isZero, point > 6 || point <= -4 else { return appendPlain(to: &text) }
        appendMantissa(to: &text)
        appendExponent("e", plus: "+", digitsMin: 2, to: &text)
    }

    /// Appends the text of Java's `Double.toString`.
    func appendJava(to text: inout [UInt8]) {
        guard !isZero, point > 7 || point <= -3 else {
            return appendPlain(withFraction: true, to: &text)
        }
        appendMantissa(withFraction: true, to: &text)
        appendExponent("E", plus: "", digitsMin: 1, to: &text)
    }

    // MARK: Parts

    private func appendSign(to text: inout [UInt8]) {
        if isNegative { text.append(UInt8(ascii: "-")) }
    }

    /// Appends the number without an exponent; with `withFraction`, `100` is `100.0`.
    private func appendPlain(withFraction: Bool = false, to text: inout [UInt8]) {
        appendSign(to: &text)
        if point <= 0 {
            text += "0.".utf8
            text.append(contentsOf: repeatElement(Self.zero, count: -point))
            text += digits
        } else if point < digits.count {
            text += digits[..<point]
            text.append(UInt8(ascii: "."))
            text += digits[point...]
        } else {
            text += digits
            text.append(contentsOf: repeatElement(Self.zero, count: point - digits.count))
            if withFraction { text += ".0".utf8 }
        }
    }

    /// Appends `1` or `1.5`: one digit before the point; with `withFraction`, `1` is `1.0`.
    private func appendMantissa(withFraction: Bool = false, to text: inout [UInt8]) {
        appendSign(to: &text)
        text.append(digits[0])
        if digits.count > 1 {
            text.append(UInt8(ascii: "."))
            text += digits[1...]
        } else if withFraction {
            text += ".0".utf8
        }
    }

    private func appendExponent(
        _ letter: StaticString, plus: StaticString, digitsMin: Int, to text: inout [UInt8]
    ) {
        letter.withUTF8Buffer { text += $0 }
        if point < 1 {
            text.append(UInt8(ascii: "-"))
        } else {
            plus.withUTF8Buffer { text += $0 }
        }
        let exponent = abs(point - 1)
        if digitsMin == 2, exponent < 10 { text.append(Self.zero) }
        text += String(exponent).utf8
    }
}

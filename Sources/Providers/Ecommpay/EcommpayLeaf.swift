/// One scalar of a callback: where it stands in the text of ``EcommpayLeaves``, and what of it is
/// signed.
struct EcommpayLeaf: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case string, number, boolean, null
    }

    let kind: Kind

    /// Keys and array indices from the root, joined by `:`; a `:` inside a key is doubled.
    let path: Range<Int>

    /// Behind the path and one `:`, the text that is hashed: booleans are `1` and `0`, null is
    /// empty, a number is its literal.
    let value: Range<Int>

    /// `path:value`
    var whole: Range<Int> { path.lowerBound..<value.upperBound }
}

/// A JSON number as a sender prints it that had parsed it: `100.0` is `100`, `1.10` is `1.1`, `1e2`
/// is `100`.
///
/// Made of the digits alone, never through `Double`. Numbers that would become longer than 40
/// characters stay as they are.
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

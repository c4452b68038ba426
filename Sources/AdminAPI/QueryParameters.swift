import Bytes
import HTTP
import JSON

/// A request's query. Each name once, and only names that the route knows: a mistyped filter would
/// otherwise answer with everything.
struct QueryParameters {
    private var values: [String: String] = [:]

    /// Throws `parameter_invalid`, `parameter_repeated` or `parameter_unknown`.
    init(_ request: Request, known: [String]) throws(Problem) {
        guard let query = request.query, !query.isEmpty else { return }
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = try Self.decoded(pair[..<mark])
            let value = try Self.decoded(pair[mark...].dropFirst())
            guard known.contains(name) else {
                throw Problem(
                    400, "parameter_unknown",
                    "`\(name)` is none of: \(known.joined(separator: ", "))")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Problem(400, "parameter_repeated", "`\(name)` is given twice")
            }
        }
    }

    subscript(_ name: String) -> String? { values[name] }

    func integer<Value: FixedWidthInteger>(
        _ name: String, in range: ClosedRange<Value>
    ) throws(Problem) -> Value? {
        guard let text = values[name] else { return nil }
        // Digits only: `Int("+5")` would be 5.
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
        guard isPlain, let value = Value(text), range.contains(value) else {
            throw invalid(name, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// False where it is left out.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch values[name] {
        case nil, "false": return false
        case "true": return true
        default: throw invalid(name, "true or false")
        }
    }

    func invalid(_ name: String, _ wanted: String) -> Problem {
        Problem(400, "parameter_invalid", "`\(name)` must be \(wanted)")
    }

    /// As forms encode: `+` is a space.
    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(Problem) -> String {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        guard let decoded = PercentEncoding.decode(spaced[...]),
            JSONWriter.isValidUTF8(decoded[...])
        else {
            throw Problem(
                400, "parameter_invalid", "the query is not percent-encoded UTF-8")
        }
        // SQLite ends a text there: `text=%00` would be empty and match everything.
        guard !decoded.contains(0) else {
            throw Problem(400, "parameter_invalid", "the query holds a NUL character")
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}

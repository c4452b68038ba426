import Bytes
import HTTP
import JSON
import Payments

/// The parameters of a query. Each name may appear once, and only known names may appear: without
/// this rule, a mistyped filter would return everything.
struct QueryParameters {
    private var values: [String: String] = [:]

    /// Throws `parameter_invalid`, `parameter_repeated` or `parameter_unknown`.
    init(_ request: Request, known: [String]) throws(Problem) {
        guard let query = request.query, !query.isEmpty else { return }
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = try Self.decoded(pair[..<mark])
            try add(name, try Self.decoded(pair[mark...].dropFirst()), known)
        }
    }

    /// Parameters that are decoded already. Throws `parameter_invalid`, `parameter_repeated` or
    /// `parameter_unknown`.
    init(_ pairs: [(name: String, value: String)], known: [String]) throws(Problem) {
        for (name, value) in pairs { try add(name, value, known) }
    }

    private mutating func add(
        _ name: String, _ value: String, _ known: [String]
    ) throws(Problem) {
        // SQLite ends a text at a NUL: `text=%00` would be empty and match everything.
        guard !name.utf8.contains(0), !value.utf8.contains(0) else {
            throw Problem(400, "parameter_invalid", "the query contains a NUL character")
        }
        guard known.contains(name) else {
            throw Problem(
                400, "parameter_unknown",
                "`\(name)` is none of: \(known.joined(separator: ", "))")
        }
        guard values.updateValue(value, forKey: name) == nil else {
            throw Problem(400, "parameter_repeated", "`\(name)` is given twice")
        }
    }

    subscript(_ name: String) -> String? { values[name] }

    func integer<Value: FixedWidthInteger>(
        _ name: String, in range: ClosedRange<Value>
    ) throws(Problem) -> Value? {
        guard let text = values[name] else { return nil }
        // Only digits and a minus sign: `Int("+5")` would be 5.
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
        guard isPlain, let value = Value(text), range.contains(value) else {
            throw invalid(name, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// The parameter `true` or `false`; false where it is left out.
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

    /// Forms encode a space as `+`.
    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(Problem) -> String {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        guard let decoded = PercentEncoding.decode(spaced[...]),
            JSONWriter.isValidUTF8(decoded[...])
        else {
            throw Problem(
                400, "parameter_invalid", "the query is not percent-encoded UTF-8")
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// A time, or nil. Throws `parameter_invalid`.
    func time(_ name: String) throws(Problem) -> Timestamp? {
        guard let text = self[name] else { return nil }
        guard let time = Timestamp(iso8601: text) else {
            throw invalid(name, "a time such as 2026-11-21T08:00:00Z")
        }
        return time
    }
}

import HTTP
import JSON
import Payments

/// The body of a request: a JSON object of known members. An unknown member is an error, so that a
/// mistyped one is not lost.
struct JSONBody {
    private let document: JSONDocument
    /// The code of problems with a member.
    private let code: String

    /// Throws `content_type_unsupported`, a reason of `JSONError`, or `code`.
    init(_ request: Request, code: String, members: [String]) throws(Problem) {
        try Self.checkType(request)
        do throws(JSONError) { document = try JSONDocument(parsing: request.body) } catch {
            throw Problem(400, error.reason, "the body is not valid JSON")
        }
        self.code = code
        try checkMembers(of: document.root, "the body", members)
    }

    private static func checkType(_ request: Request) throws(Problem) {
        guard let type = request.values("content-type").first else { return }
        let media = String(decoding: type, as: UTF8.self).lowercased().prefix {
            $0 != ";" && $0 != " "
        }
        guard media == "application/json" else {
            throw Problem(415, "content_type_unsupported", "send application/json")
        }
    }

    private func checkMembers(
        of value: JSONValue, _ place: String, _ known: [String]
    ) throws(Problem) {
        guard value.kind == .object else { throw invalid("\(place) must be an object") }
        for (key, _) in value.members where !known.contains(key) {
            throw invalid("\(place) has no member `\(key)`, only \(known.joined(separator: ", "))")
        }
    }

    /// The member; nil where it is missing or null.
    subscript(_ name: String) -> JSONValue? {
        document.root[name].flatMap { $0.isNull ? nil : $0 }
    }

    func invalid(_ detail: String) -> Problem { Problem(400, code, detail) }

    /// An amount: `{"minor":9900,"currency":"MYR"}`.
    func amount(_ name: String) throws(Problem) -> Money? {
        guard let value = self[name] else { return nil }
        try checkMembers(of: value, "`\(name)`", ["minor", "currency"])
        guard let minor = value["minor"].flatMap(Self.integer), minor >= 0 else {
            throw invalid("`\(name).minor` must be an integer of the smallest unit, 0 or more")
        }
        guard let currency = value["currency"]?.string.flatMap({ Currency(listed: $0) }) else {
            throw invalid(
                "`\(name).currency` must be a currency of ISO 4217, in three capital letters")
        }
        return Money(minor: minor, currency: currency)
    }

    /// The required member `reason`.
    func reason() throws(Problem) -> String {
        try ActReason.checked(self["reason"]?.string ?? "", code)
    }

    /// A required sequence.
    func sequence(_ name: String) throws(Problem) -> UInt64 {
        guard let number = self[name].flatMap(Self.integer), number >= 1 else {
            throw invalid("`\(name)` must be the sequence of a record")
        }
        return UInt64(number)
    }

    /// The integer `203`, also written `203.0`, as many programs do. It is never read as a Double.
    private static func integer(_ value: JSONValue) -> Int64? {
        if let integer = value.int64 { return integer }
        guard let parts = value.lexeme?.split(separator: "."), parts.count == 2,
            parts[1].utf8.allSatisfy({ $0 == UInt8(ascii: "0") })
        else { return nil }
        return Int64(parts[0])
    }
}

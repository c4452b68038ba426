import HTTP
import JSON
import Payments

/// The body of `POST /orders/{endpoint}/{reference}`:
/// `{"amount":{"minor":9900,"currency":"MYR"},"expires":"2026-11-21T08:00:00Z","metadata":{}}`.
/// `expires` and `metadata` may be left out; an unknown member is an error, so that a mistyped one
/// is not lost.
struct ExpectationBody {
    static let metadataBytesMax = 16_384

    let expectation: Expectation
    /// In canonical form; empty when there is none.
    let metadata: [UInt8]

    /// Throws `content_type_unsupported`, a reason of `JSONError`, or `expectation_invalid`.
    init(_ request: Request) throws(Problem) {
        try Self.checkType(request)
        let document: JSONDocument
        do throws(JSONError) { document = try JSONDocument(parsing: request.body) } catch {
            throw Problem(400, error.reason, "the body is not valid JSON")
        }
        try Self.checkMembers(of: document.root, "the body", ["amount", "expires", "metadata"])
        expectation = Expectation(
            amount: try Self.amount(document.root["amount"]),
            expires: try Self.expiry(document.root["expires"]))
        metadata = try Self.metadata(document.root["metadata"])
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

    private static func checkMembers(
        of value: JSONValue, _ place: String, _ known: [String]
    ) throws(Problem) {
        guard value.kind == .object else { throw invalid("\(place) must be an object") }
        for (key, _) in value.members where !known.contains(key) {
            throw invalid("\(place) has no member `\(key)`, only \(known.joined(separator: ", "))")
        }
    }

    private static func amount(_ value: JSONValue?) throws(Problem) -> Money {
        guard let value else { throw invalid("`amount` is missing") }
        try checkMembers(of: value, "`amount`", ["minor", "currency"])
        guard let minor = value["minor"].flatMap(integer), minor >= 0 else {
            throw invalid("`amount.minor` must be an integer of the smallest unit, 0 or more")
        }
        guard let currency = value["currency"]?.string.flatMap({ Currency($0) }) else {
            throw invalid("`amount.currency` must be three capital letters (ISO 4217)")
        }
        return Money(minor: minor, currency: currency)
    }

    /// `203` and, because many programs write integers so, `203.0`; never by way of a Double.
    private static func integer(_ value: JSONValue) -> Int64? {
        if let integer = value.int64 { return integer }
        guard let parts = value.lexeme?.split(separator: "."), parts.count == 2,
            parts[1].utf8.allSatisfy({ $0 == UInt8(ascii: "0") })
        else { return nil }
        return Int64(parts[0])
    }

    private static func expiry(_ value: JSONValue?) throws(Problem) -> Timestamp? {
        guard let value, !value.isNull else { return nil }
        guard let time = value.string.flatMap({ Timestamp(iso8601: $0) }) else {
            throw invalid("`expires` must be a time such as 2026-11-21T08:00:00Z")
        }
        return time
    }

    private static func metadata(_ value: JSONValue?) throws(Problem) -> [UInt8] {
        guard let value, !value.isNull else { return [] }
        guard value.kind == .object else { throw invalid("`metadata` must be an object") }
        var writer = JSONWriter()
        CanonicalJSON.write(value, to: &writer)
        guard writer.bytes.count <= metadataBytesMax else {
            throw invalid("`metadata` is longer than \(metadataBytesMax) bytes")
        }
        return writer.bytes
    }

    private static func invalid(_ detail: String) -> Problem {
        Problem(400, "expectation_invalid", detail)
    }
}

/// One spelling for each JSON value: no white space, members sorted by the bytes of their names.
/// Numbers keep their spelling, for `1` and `1.0` may not be the same to the merchant.
enum CanonicalJSON {
    static func write(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value.kind {
        case .object:
            writer.beginObject()
            let members = value.members.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
            for (key, member) in members {
                writer.key(key)
                write(member, to: &writer)
            }
            writer.endObject()
        case .array:
            writer.beginArray()
            for element in value.elements { write(element, to: &writer) }
            writer.endArray()
        case .string: writer.string(value.string ?? "")
        default: writer.raw(value.rawBytes)
        }
    }
}

import HTTP
import JSON
import Payments

/// The body of `POST /orders/{endpoint}/{reference}`:
/// `{"amount":{"minor":9900,"currency":"MYR"},"expires":"2026-11-21T08:00:00Z","metadata":{}}`.
/// `expires`, `metadata` and `order` are optional. An unknown member is an error, so that a
/// mistyped one is not lost.
struct ExpectationBody {
    static let metadataBytesMax = 16_384

    let expectation: Expectation
    /// The shop's own reference, where the payment is one of several tries.
    let order: String?
    /// In canonical form; empty without metadata.
    let metadata: [UInt8]

    /// Those that a correction has, too.
    static let members = ["amount", "expires", "metadata"]

    /// Throws `content_type_unsupported`, a reason of `JSONError`, or `expectation_invalid`.
    init(_ request: Request) throws(Problem) {
        self = try ExpectationBody(
            JSONBody(
                request, code: "expectation_invalid", members: Self.members + ["order"]))
    }

    /// Reads the members of a body that may have further ones.
    init(_ body: JSONBody) throws(Problem) {
        guard let amount = try body.amount("amount") else {
            throw body.invalid("`amount` is missing")
        }
        expectation = Expectation(amount: amount, expires: try Self.expiry(body))
        order = try Self.order(body)
        metadata = try Self.metadata(body)
    }

    private static func order(_ body: JSONBody) throws(Problem) -> String? {
        guard let value = body["order"] else { return nil }
        guard let order = value.string, order.isWord else {
            throw body.invalid("`order` must be the shop's own reference, such as SHOP-77")
        }
        return order
    }

    private static func expiry(_ body: JSONBody) throws(Problem) -> Timestamp? {
        guard let value = body["expires"] else { return nil }
        guard let time = value.string.flatMap({ Timestamp(iso8601: $0) }) else {
            throw body.invalid("`expires` must be a time such as 2026-11-21T08:00:00Z")
        }
        return time
    }

    private static func metadata(_ body: JSONBody) throws(Problem) -> [UInt8] {
        guard let value = body["metadata"] else { return [] }
        guard value.kind == .object else { throw body.invalid("`metadata` must be an object") }
        var writer = JSONWriter()
        CanonicalJSON.write(value, to: &writer)
        guard writer.bytes.count <= metadataBytesMax else {
            throw body.invalid("`metadata` is longer than \(metadataBytesMax) bytes")
        }
        return writer.bytes
    }
}

/// Writes each JSON value in one spelling: without white space, members sorted by the bytes of
/// their names. Numbers keep their spelling, because `1` and `1.0` may differ for the merchant.
enum CanonicalJSON {
    static func write(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value.kind {
        case .object:
            let members = value.members.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
            writer.object { json in
                for (key, member) in members {
                    json.key(key)
                    write(member, to: &json)
                }
            }
        case .array:
            writer.array { for element in value.elements { write(element, to: &$0) } }
        case .string: writer.string(value.string ?? "")
        default: writer.raw(value.rawBytes)
        }
    }
}

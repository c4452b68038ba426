import HTTP
import Store

/// The field `If-Match` (RFC 9110 §13.1.1). The tag of an order is the sequence of its newest
/// record, as in `last`: `"42"`.
struct IfMatch: Equatable {
    private let tags: [String]

    /// Throws `if_match_missing` (428) where there is no field, or `*`, which names no record; and
    /// `header_invalid` for what is no list of tags.
    init(_ request: Request) throws(Problem) {
        let fields = request.values("if-match").map { String(decoding: $0, as: UTF8.self) }
        let list = fields.flatMap { $0.split(separator: ",") }.map { part in
            String(
                part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }
                    .reversed())
        }
        guard !list.isEmpty, list != ["*"] else {
            throw Problem(
                428, "if_match_missing",
                "send `If-Match` with the order's `ETag`, which is its `last` in quotes")
        }
        guard list.allSatisfy(Self.isTag) else {
            throw Problem(
                400, "header_invalid", "`If-Match` must be the order's `ETag`, such as \"42\"")
        }
        tags = list
    }

    /// Weak tags (`W/"42"`) never match (RFC 9110 §8.8.3.2).
    func names(_ last: UInt64) -> Bool { tags.contains(Self.tag(last)) }

    static func tag(_ last: UInt64) -> String { "\"\(last)\"" }

    private static func isTag(_ text: String) -> Bool {
        let tag = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
        return tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            && !tag.dropFirst().dropLast().contains("\"")
    }
}

extension OrderView {
    /// The newest record that belongs to the order.
    var last: UInt64 { max(sequences.last ?? 0, laterLast) }
}

extension Response {
    /// With the tag that `If-Match` takes.
    func tagged(_ view: OrderView) -> Response {
        var response = self
        response.fields.append(("ETag", IfMatch.tag(view.last)))
        return response
    }
}

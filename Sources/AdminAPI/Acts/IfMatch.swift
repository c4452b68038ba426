import HTTP

/// The field `If-Match` (RFC 9110 §13.1.1). The tag of an order is its `last` in quotes: `"42"`.
struct IfMatch: Equatable {
    private let tags: [String]

    /// Throws `if_match_missing` (428) without a field and for `*`, which names no record, and
    /// `header_invalid` for anything else that is not a list of tags.
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

extension Response {
    /// The answer with the tag that `If-Match` takes.
    func tagged(_ last: UInt64) -> Response {
        var response = self
        response.fields.append(("ETag", IfMatch.tag(last)))
        return response
    }
}

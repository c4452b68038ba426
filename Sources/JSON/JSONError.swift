/// Why a text is not acceptable JSON. Every case carries the offset in bytes of the first byte
/// that cannot stand where it is (the length of the text when it ended too early).
package enum JSONError: Error, Equatable, Sendable {
    /// Nothing, or nothing but white space.
    case empty(Int)
    /// A byte order mark is in front (RFC 8259 §8.1 forbids to send one).
    case byteOrderMark(Int)
    /// The text ends inside a value, e.g. `{"a":`.
    case truncated(Int)
    /// Anything else that the grammar does not allow, e.g. `[1,]`.
    case syntax(Int)
    /// A number that the grammar does not allow, e.g. `01`, `+1`, `.5`.
    case number(Int)
    /// An escape that the grammar does not allow, e.g. `"\x41"`.
    case escape(Int)
    /// A control character is raw in a string (RFC 8259 §7 wants it escaped).
    case controlCharacter(Int)
    /// Bytes that are not UTF-8: overlong, a surrogate, above U+10FFFF, cut off.
    case utf8(Int)
    /// A `\u` escape of one half of a surrogate pair without the other half.
    case surrogate(Int)
    /// One object has two members of one name (compared after unescaping).
    case duplicateKey(Int)
    /// More bytes after the value.
    case trailingContent(Int)
    /// Deeper than `JSONLimits.depthMax`.
    case depth(Int)
    /// More values than `JSONLimits.nodesMax`.
    case nodes(Int)
    /// 2 GiB or more: offsets in a document have 32 bits.
    case tooLarge(Int)

    /// The code for log lines, metrics and the rejection log.
    package var reason: String {
        switch self {
        case .empty: "json_empty"
        case .byteOrderMark: "json_byte_order_mark"
        case .truncated: "json_truncated"
        case .syntax: "json_syntax"
        case .number: "json_number"
        case .escape: "json_escape"
        case .controlCharacter: "json_control_character"
        case .utf8: "json_utf8"
        case .surrogate: "json_surrogate"
        case .duplicateKey: "json_duplicate_key"
        case .trailingContent: "json_trailing_content"
        case .depth: "json_depth"
        case .nodes: "json_nodes"
        case .tooLarge: "json_too_large"
        }
    }

    /// Where, in bytes from the start of the text.
    package var offset: Int {
        switch self {
        case .empty(let offset), .byteOrderMark(let offset), .truncated(let offset),
            .syntax(let offset), .number(let offset), .escape(let offset),
            .controlCharacter(let offset), .utf8(let offset), .surrogate(let offset),
            .duplicateKey(let offset), .trailingContent(let offset), .depth(let offset),
            .nodes(let offset), .tooLarge(let offset):
            offset
        }
    }
}

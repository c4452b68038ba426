/// Why a text is not acceptable JSON. Every case carries the byte offset of the first byte that is
/// not allowed at its place (the length of the text if it ended too early).
package enum JSONError: Error, Equatable, Sendable {
    /// The text is empty or only white space.
    case empty(Int)
    /// The text begins with a byte order mark (RFC 8259 §8.1 forbids sending one).
    case byteOrderMark(Int)
    /// The text ends inside a value, e.g. `{"a":`.
    case truncated(Int)
    /// Any other violation of the grammar, e.g. `[1,]`.
    case syntax(Int)
    /// A number that the grammar does not allow, e.g. `01`, `+1`, `.5`.
    case number(Int)
    /// An escape that the grammar does not allow, e.g. `"\x41"`.
    case escape(Int)
    /// An unescaped control character in a string (RFC 8259 §7).
    case controlCharacter(Int)
    /// Invalid UTF-8: overlong, a surrogate, above U+10FFFF, or cut off.
    case utf8(Int)
    /// A `\u` escape of one half of a surrogate pair without the other half.
    case surrogate(Int)
    /// Two members of an object have the same name (compared after unescaping).
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

    /// Byte offset from the start of the text.
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

/// Parses a text in one pass into a tape of nodes. Iterative: an open container stores the index of
/// the enclosing one in its own node, so nesting uses no call stack.
struct JSONParser {
    private static let none = UInt32.max

    private let limits: JSONLimits
    private var offset = 0
    private var depth = 0
    private var valueCount = 0
    /// The innermost open container.
    private var open = Self.none
    private(set) var nodes: [JSONNode] = []
    /// See `JSONDocument.comparedBytes`.
    private(set) var comparedBytes = 0

    init(limits: JSONLimits) {
        self.limits = limits
    }

    mutating func parse(_ source: Span<UInt8>) throws(JSONError) {
        guard source.count <= Int32.max else { throw .tooLarge(Int(Int32.max)) }
        try checkStart(source)
        // A notification has a value or a name about every ten bytes.
        nodes.reserveCapacity(min(source.count / 8, limits.nodesMax) + 2)
        repeat {
            try value(source)
        } while try !finish(source)
        offset = JSONLexer.skipWhitespace(source, from: offset)
        guard offset == source.count else { throw .trailingContent(offset) }
    }

    private mutating func checkStart(_ source: Span<UInt8>) throws(JSONError) {
        if source.count >= 3, source[0] == 0xEF, source[1] == 0xBB, source[2] == 0xBF {
            throw .byteOrderMark(0)
        }
        offset = JSONLexer.skipWhitespace(source, from: 0)
        guard offset < source.count else { throw .empty(offset) }
    }

    /// Reads a scalar, or opens containers up to a scalar or an empty container.
    private mutating func value(_ source: Span<UInt8>) throws(JSONError) {
        while true {
            guard offset < source.count else { throw .truncated(offset) }
            let start = offset
            switch source[offset] {
            case UInt8(ascii: "\""):
                let token = try JSONLexer.string(source, from: start)
                return try leaf(.string, to: token.end, hasEscapes: token.hasEscapes)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let token = try JSONLexer.number(source, from: start)
                return try leaf(token.isInteger ? .integer : .number, to: token.end)
            case UInt8(ascii: "{"):
                try begin(.object, source)
                if offset < source.count, source[offset] == UInt8(ascii: "}") { return }
                try key(source)
            case UInt8(ascii: "["):
                try begin(.array, source)
                if offset < source.count, source[offset] == UInt8(ascii: "]") { return }
            case UInt8(ascii: "t"):
                return try leaf(.true, to: JSONLexer.literal(source, "true", from: start))
            case UInt8(ascii: "f"):
                return try leaf(.false, to: JSONLexer.literal(source, "false", from: start))
            case UInt8(ascii: "n"):
                return try leaf(.null, to: JSONLexer.literal(source, "null", from: start))
            default:
                throw JSONLexer.unexpected(source, at: start)
            }
        }
    }

    /// Closes the containers that end after a value. Returns true when the outermost value is
    /// complete; false after a comma (and in an object the next name), when another value must
    /// follow.
    private mutating func finish(_ source: Span<UInt8>) throws(JSONError) -> Bool {
        while open != Self.none {
            offset = JSONLexer.skipWhitespace(source, from: offset)
            guard offset < source.count else { throw .truncated(offset) }
            let isObject = nodes[Int(open)].tag == .object
            switch source[offset] {
            case UInt8(ascii: ","):
                offset = JSONLexer.skipWhitespace(source, from: offset + 1)
                if isObject { try key(source) }
                return false
            case UInt8(ascii: "}") where isObject:
                try checkDuplicates(source)
                end()
            case UInt8(ascii: "]") where !isObject:
                end()
            default:
                throw .syntax(offset)
            }
        }
        return true
    }

    private mutating func append(value node: JSONNode) throws(JSONError) {
        guard valueCount < limits.nodesMax else { throw .nodes(Int(node.start)) }
        valueCount += 1
        nodes.append(node)
    }

    private mutating func leaf(
        _ tag: JSONNode.Tag, to end: Int, hasEscapes: Bool = false
    ) throws(JSONError) {
        let next = UInt32(truncatingIfNeeded: nodes.count + 1)
        try append(
            value: JSONNode(
                start: UInt32(truncatingIfNeeded: offset), end: UInt32(truncatingIfNeeded: end),
                link: next, tag: tag, hasEscapes: hasEscapes))
        offset = end
    }

    /// Reads a member name and its colon.
    private mutating func key(_ source: Span<UInt8>) throws(JSONError) {
        guard offset < source.count else { throw .truncated(offset) }
        guard source[offset] == UInt8(ascii: "\"") else { throw .syntax(offset) }
        let token = try JSONLexer.string(source, from: offset)
        nodes.append(
            JSONNode(
                start: UInt32(truncatingIfNeeded: offset),
                end: UInt32(truncatingIfNeeded: token.end),
                link: KeyHint.of(source, offset + 1..<token.end - 1), tag: .key,
                hasEscapes: token.hasEscapes))
        offset = JSONLexer.skipWhitespace(source, from: token.end)
        guard offset < source.count else { throw .truncated(offset) }
        guard source[offset] == UInt8(ascii: ":") else { throw .syntax(offset) }
        offset = JSONLexer.skipWhitespace(source, from: offset + 1)
    }

    private mutating func begin(
        _ tag: JSONNode.Tag, _ source: Span<UInt8>
    ) throws(JSONError) {
        guard depth < limits.depthMax else { throw .depth(offset) }
        depth += 1
        let index = UInt32(truncatingIfNeeded: nodes.count)
        let start = UInt32(truncatingIfNeeded: offset)
        try append(value: JSONNode(start: start, end: start, link: open, tag: tag))
        open = index
        offset = JSONLexer.skipWhitespace(source, from: offset + 1)
    }

    private mutating func end() {
        let container = Int(open)
        depth -= 1
        offset += 1
        open = nodes[container].link
        nodes[container].end = UInt32(truncatingIfNeeded: offset)
        nodes[container].link = UInt32(truncatingIfNeeded: nodes.count)
    }

    private mutating func checkDuplicates(_ source: Span<UInt8>) throws(JSONError) {
        var keys = DuplicateKeys()
        let offset = keys.first(source, nodes.span, object: Int(open))
        comparedBytes += keys.comparedBytes
        if let offset { throw .duplicateKey(offset) }
    }
}

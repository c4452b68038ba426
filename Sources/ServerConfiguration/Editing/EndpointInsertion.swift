import Yams

/// Inserts an item at the end of `endpoints:` and changes no other byte: comments, layout, line
/// ends and quotes stay as they are.
///
/// The place is guessed from the look of the text and then verified by parsing both texts: the new
/// one must equal the old one plus this item. If no place passes, nothing is changed.
struct EndpointInsertion {
    /// The members of the item, in the order in which they are written.
    let members: [YAMLPiece.Member]

    /// Maximum number of closing brackets that are tried in a list on one line.
    private static let bracketsMax = 200

    /// Returns the new text, or nil when no place could be verified.
    func text(of bytes: [UInt8]) -> [UInt8]? {
        guard let root = Self.root(bytes), let mapping = root.mapping else { return nil }
        guard let pair = mapping.first(where: { $0.key.string == "endpoints" }) else {
            let whole = Self.lines(of: bytes)
            return proved(insert(block(indent: "  ", head: "endpoints:"), whole.count, whole), root)
        }
        let lines = Self.lines(of: bytes)
        if pair.value.null != nil, let key = pair.key.mark, key.line <= lines.count {
            return proved(insert(block(indent: "  ", head: nil), key.line, lines), root)
        }
        guard let list = pair.value.sequence else { return nil }
        if let mark = pair.value.mark, Self.isFlow(at: mark, in: lines) {
            return flow(bytes, from: lines[mark.line - 1].startIndex, list.isEmpty, root)
        }
        guard let first = list.first?.mark, let key = pair.key.mark else { return nil }
        guard lines.indices.contains(first.line - 1) else { return nil }
        let indent = lines[first.line - 1].prefix { $0 == 0x20 }
        guard lines[first.line - 1].dropFirst(indent.count).first == UInt8(ascii: "-") else {
            return nil
        }
        let next = mapping.compactMap(\.key.mark?.line).filter { $0 > key.line }.min()
        var end = (next ?? lines.count + 1) - 1
        if next == nil, let mark = lines[first.line...].firstIndex(where: Self.endsDocument) {
            end = mark
        }
        // Comments and empty lines before the next key belong to that key.
        while end > first.line, Self.isOutside(lines[end - 1], indent.count) { end -= 1 }
        let text = String(decoding: indent, as: UTF8.self)
        return proved(insert(block(indent: text, head: nil), end, lines), root)
    }

    /// Whether the line is empty or a comment outside the list.
    private static func isOutside(_ line: ArraySlice<UInt8>, _ indent: Int) -> Bool {
        let text = line.drop { $0 == 0x20 || $0 == 0x09 }
        switch text.first {
        case nil, 0x0A, 0x0D: return true
        case UInt8(ascii: "#"): return indent == 0 || text.startIndex - line.startIndex < indent
        default: return false
        }
    }

    private static func endsDocument(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: Array("...".utf8)) || line.starts(with: Array("---".utf8))
    }

    private func block(indent: String, head: String?) -> [String] {
        let lines = members.flatMap { YAMLPiece.lines($0, indent: "") }
        return [head].compactMap(\.self)
            + lines.enumerated().map { indent + ($0.offset == 0 ? "- " : "  ") + $0.element }
    }

    private func insert(_ new: [String], _ place: Int, _ lines: [ArraySlice<UInt8>]) -> [UInt8] {
        let usesCR = lines.first?.suffix(2).elementsEqual([0x0D, 0x0A]) ?? false
        let end: [UInt8] = usesCR ? [0x0D, 0x0A] : [0x0A]
        var bytes = Array(lines[..<place].joined())
        if let last = bytes.last, last != 0x0A, last != 0x0D { bytes += end }
        for line in new { bytes += Array(line.utf8) + end }
        return bytes + Array(lines[place...].joined())
    }

    /// Whether a value begins with a bracket, after its anchor and tag. The parser's style cannot
    /// be used: it is taken from the event that ends the list, which has none.
    private static func isFlow(at mark: Mark, in lines: [ArraySlice<UInt8>]) -> Bool {
        guard lines.indices.contains(mark.line - 1) else { return false }
        let words = lines[mark.line - 1].dropFirst(mark.column - 1).split(separator: 0x20)
        let properties = [UInt8(ascii: "&"), UInt8(ascii: "!")]
        return words.first { !properties.contains($0.first ?? 0) }?.first == UInt8(ascii: "[")
    }

    /// Inserts the item before the closing bracket, with a comma unless the list ends with one.
    private func flow(
        _ bytes: [UInt8], from start: Int, _ isEmpty: Bool, _ root: Node
    ) -> [UInt8]? {
        let item = YAMLPiece.flow(members).flow
        let brackets = bytes[start...].indices.filter { bytes[$0] == UInt8(ascii: "]") }
        for bracket in brackets.prefix(Self.bracketsMax) {
            for text in isEmpty ? [item] : [", \(item)", " \(item)"] {
                let new = Array(bytes[..<bracket]) + Array(text.utf8) + bytes[bracket...]
                if let text = proved(new, root) { return text }
            }
        }
        return nil
    }

    /// Returns `text` if it equals `old` plus this item.
    private func proved(_ text: [UInt8], _ old: Node) -> [UInt8]? {
        guard let new = Self.root(text), let was = old.mapping, let now = new.mapping else {
            return nil
        }
        let before = was["endpoints"].map { $0.sequence.map(Array.init) ?? [] } ?? []
        guard let after = now["endpoints"]?.sequence.map(Array.init),
            after.count == before.count + 1, Array(after.dropLast()) == before,
            let item = Self.root(Array(YAMLPiece.flow(members).flow.utf8)), after.last == item
        else { return nil }
        func rest(_ mapping: Node.Mapping) -> [Node] {
            mapping.filter { $0.key.string != "endpoints" }.flatMap { [$0.key, $0.value] }
        }
        return rest(was) == rest(now) ? text : nil
    }

    private static func root(_ bytes: [UInt8]) -> Node? {
        guard var text = String(validating: bytes, as: UTF8.self) else { return nil }
        if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        return try? Yams.compose(yaml: text, .basic, .default, .utf8)
    }

    /// Splits the text into lines, each with its line end.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for index in bytes.indices {
            let isEnd =
                bytes[index] == 0x0A
                || bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A)
            guard isEnd else { continue }
            lines.append(bytes[start...index])
            start = index + 1
        }
        if start < bytes.count { lines.append(bytes[start...]) }
        return lines
    }
}

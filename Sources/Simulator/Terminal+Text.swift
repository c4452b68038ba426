extension Terminal {
    /// A word is not broken; a line that leaves no room for text is not indented any further.
    private static let textWidthMin = 20

    /// `text` in lines that fit, broken at spaces; all but the first are indented. Where nobody
    /// looks, one line, whatever its length.
    package func wrapped(_ text: String, indent: Int = 0) -> String {
        guard let width, text.count > width else { return text }
        let margin = width - indent < Self.textWidthMin ? 0 : indent
        var lines: [String] = []
        var line = ""
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: margin) + word
            } else {
                line += isEmpty ? String(word) : " \(word)"
            }
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// A line that begins with a name of at most `nameWidth` columns, which is bold; what follows
    /// is wrapped beneath itself. A line without a name is one of the details of the line before.
    package func named(_ line: String, nameWidth: Int) -> String {
        let name = line.prefix(nameWidth)
        guard let end = name.lastIndex(where: { $0 != " " }) else {
            return wrapped(line, indent: line.prefix { $0 == " " }.count + 2)
        }
        // Wrapped before it is coloured: the codes have no width.
        let text = wrapped(line, indent: nameWidth)
        let head = String(name[...end])
        return bold(head) + text.dropFirst(head.count)
    }
}

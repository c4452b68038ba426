extension Terminal {
    /// Minimum width of indented text; lines with less room are not indented.
    private static let textWidthMin = 20

    /// `text` wrapped at spaces to the terminal's width, with all lines but the first indented. One
    /// line, whatever its length, if the output is not a terminal.
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

    /// A line that begins with a name of at most `nameWidth` columns, in bold, with its text
    /// wrapped in the column after it. A line without a name continues the line before.
    package func named(_ line: String, nameWidth: Int) -> String {
        let name = line.prefix(nameWidth)
        guard let end = name.lastIndex(where: { $0 != " " }) else {
            return wrapped(line, indent: line.prefix { $0 == " " }.count + 2)
        }
        // Wrapped before colours are added, because their codes have no width.
        let text = wrapped(line, indent: nameWidth)
        let head = String(name[...end])
        return bold(head) + text.dropFirst(head.count)
    }
}

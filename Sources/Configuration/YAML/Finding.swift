/// One thing to say about a configuration: where it stands, what is wrong, what to do about it.
package struct Finding: Sendable, Equatable {
    package enum Severity: String, Sendable {
        /// The configuration cannot be used.
        case mistake
        /// It can, but somebody should know.
        case warning
    }

    package let severity: Severity
    /// The configuration file as it was named on the command line.
    package let file: String
    /// Counted from 1; nil where the file as a whole is meant.
    package let line: Int?
    /// Counted from 1, in Unicode scalars.
    package let column: Int?
    /// The setting, as in `endpoints[0].keys[1].publicKey`; empty where the whole file is meant.
    package let key: String
    /// What is wrong, never with any part of a secret.
    package let problem: String
    package let remedy: String

    package init(
        _ severity: Severity, file: String, line: Int? = nil, column: Int? = nil, key: String = "",
        problem: String, remedy: String
    ) {
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.key = Self.printable(key)
        self.problem = Self.printable(problem)
        self.remedy = Self.printable(remedy)
    }

    /// A key or a path may hold anything in YAML, a line break or an escape of the terminal's too:
    /// what is told stays on its one line.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{fffd}" : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }
}

extension Finding: CustomStringConvertible {
    /// `file:line:column: key: what is wrong; remedy`, the form that editors and terminals link.
    package var description: String {
        "\(place): \(severity == .warning ? "warning: " : "")\(sentence)"
    }

    /// `file:line:column`, as much of it as is known.
    package var place: String {
        var text = file
        if let line { text += ":\(line)" }
        if let column { text += ":\(column)" }
        return text
    }

    /// The key, what is wrong, and the remedy: for a log line that has its own level and place.
    package var sentence: String {
        let about = key.isEmpty ? problem : "\(key): \(problem)"
        return remedy.isEmpty ? about : "\(about); \(remedy)"
    }
}

extension Finding {
    /// As the file reads: top to bottom, what concerns the whole file first.
    static func isInOrder(_ left: Finding, _ right: Finding) -> Bool {
        (left.line ?? 0, left.column ?? 0) < (right.line ?? 0, right.column ?? 0)
    }
}

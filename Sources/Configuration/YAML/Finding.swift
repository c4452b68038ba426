import Bytes

/// One finding about a configuration: where, what is wrong, and what to do about it.
package struct Finding: Sendable, Equatable {
    package enum Severity: String, Sendable {
        /// The configuration cannot be used.
        case mistake
        /// It can, but needs attention.
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
    private static func printable(_ text: String) -> String { text.withoutSteering }
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
    /// As the files read: top to bottom, what concerns a whole file first.
    static func isInOrder(_ left: Finding, _ right: Finding) -> Bool {
        if left.file != right.file { return left.file < right.file }
        return (left.line ?? 0, left.column ?? 0) < (right.line ?? 0, right.column ?? 0)
    }
}

/// A configuration that cannot be used, with every mistake that could be found at once.
package struct ConfigurationError: Error, Sendable {
    /// In the order of the file; never empty.
    package let mistakes: [Finding]
    package let warnings: [Finding]
    /// Further mistakes that are not among them, because there are so many.
    package let mistakesUntold: Int

    /// All mistakes that were found.
    package var mistakeCount: Int { mistakes.count + mistakesUntold }

    /// The process's exit status: `EX_CONFIG` of sysexits(3).
    package static let exitStatus: Int32 = 78
}

extension ConfigurationError: CustomStringConvertible {
    /// One line for each mistake, then for each warning.
    package var description: String {
        var lines = (mistakes + warnings).map(\.description)
        if let untold { lines.append(untold) }
        return lines.joined(separator: "\n")
    }

    /// How many mistakes have no line; nil where each has one.
    package var untold: String? {
        guard mistakesUntold > 0 else { return nil }
        let mistakes = mistakesUntold == 1 ? "mistake is" : "mistakes are"
        return "\(self.mistakes.first?.file ?? ""): \(mistakesUntold) further \(mistakes) not shown"
    }
}

/// Finds what was probably meant.
package enum Suggestion {
    /// The known word nearest to `word`, if one is near enough to be a slip of the hand: another
    /// case, or one edit for every three letters.
    static func nearest(to word: String, among known: [String]) -> String? {
        let lowered = Array(word.lowercased().unicodeScalars.prefix(100))
        let ranked = known.map { ($0, distance(lowered, Array($0.lowercased().unicodeScalars))) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
        return best.1 <= max(1, min(lowered.count, best.0.count) / 3) ? best.0 : nil
    }

    /// A remedy that names the nearest known word, or all of them.
    package static func remedy(for word: String, among known: [String]) -> String {
        if let nearest = nearest(to: word, among: known) { return "did you mean `\(nearest)`?" }
        return "known: \(known.joined(separator: ", "))"
    }

    /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for (row, a) in left.enumerated() {
            var current = [row + 1]
            for (column, b) in right.enumerated() {
                var best = min(previous[column + 1] + 1, current[column] + 1)
                best = min(best, previous[column] + (a == b ? 0 : 1))
                if row > 0, column > 0, a == right[column - 1], left[row - 1] == b {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            (before, previous) = (previous, current)
        }
        return previous[right.count]
    }
}

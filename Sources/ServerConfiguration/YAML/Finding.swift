import Bytes

/// A finding about a configuration: its place, the problem and the remedy.
package struct Finding: Sendable, Equatable {
    package enum Severity: String, Sendable {
        /// The configuration cannot be used.
        case mistake
        /// The configuration can be used, but needs attention.
        case warning
    }

    package let severity: Severity
    /// The path of the configuration file as the command line gave it.
    package let file: String
    /// The line, counted from 1; nil for the file as a whole.
    package let line: Int?
    /// The column, counted from 1, in Unicode scalars.
    package let column: Int?
    /// The setting, as in `endpoints[0].keys[1].publicKey`; empty for the file as a whole.
    package let key: String
    /// The problem, without any part of a secret.
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

    /// Removes line breaks and terminal escapes, which keys and paths may hold in YAML, so that a
    /// finding stays on one line.
    private static func printable(_ text: String) -> String { text.withoutSteering }
}

extension Finding: CustomStringConvertible {
    /// `file:line:column: key: problem; remedy`, the form that editors and terminals link.
    package var description: String {
        "\(place): \(severity == .warning ? "warning: " : "")\(sentence)"
    }

    /// `file:line:column`, without the parts that are unknown.
    package var place: String {
        var text = file
        if let line { text += ":\(line)" }
        if let column { text += ":\(column)" }
        return text
    }

    /// The key, the problem and the remedy: for a log line that has its own level and place.
    package var sentence: String {
        let about = key.isEmpty ? problem : "\(key): \(problem)"
        return remedy.isEmpty ? about : "\(about); \(remedy)"
    }
}

extension Finding {
    /// Orders findings by file and from top to bottom, those about a whole file first.
    static func isInOrder(_ left: Finding, _ right: Finding) -> Bool {
        if left.file != right.file { return left.file < right.file }
        return (left.line ?? 0, left.column ?? 0) < (right.line ?? 0, right.column ?? 0)
    }
}

/// The error for a configuration that cannot be used, with every mistake that was found.
package struct ConfigurationError: Error, Sendable {
    /// The mistakes in the order of the file; never empty.
    package let mistakes: [Finding]
    package let warnings: [Finding]
    /// Number of further mistakes, beyond the limit on listed ones.
    package let mistakesOmitted: Int

    /// Number of all mistakes.
    package var mistakeCount: Int { mistakes.count + mistakesOmitted }

    /// The process's exit status: `EX_CONFIG` of sysexits(3).
    package static let exitStatus: Int32 = 78
}

extension ConfigurationError: CustomStringConvertible {
    /// One line for each mistake, then for each warning.
    package var description: String {
        var lines = (mistakes + warnings).map(\.description)
        if let omission { lines.append(omission) }
        return lines.joined(separator: "\n")
    }

    /// A line with the number of mistakes that are not listed; nil if all are.
    package var omission: String? {
        guard mistakesOmitted > 0 else { return nil }
        let file = mistakes.first?.file ?? ""
        let further = mistakesOmitted == 1 ? "further mistake is" : "further mistakes are"
        return "\(file): \(mistakesOmitted) \(further) not shown"
    }
}

/// Finds the known word that was probably meant.
package enum Suggestion {
    /// The known word nearest to `word`, if it is near enough to be a typing error: a difference in
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

    /// Returns the number of insertions, deletions, substitutions and swaps of neighbours between
    /// two texts (optimal string alignment).
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

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
        if mistakesUntold > 0 {
            let file = mistakes.first?.file ?? ""
            lines.append("\(file): \(mistakesUntold) further mistakes are not shown")
        }
        return lines.joined(separator: "\n")
    }
}

/// A configuration that cannot be used, with every mistake that could be found at once.
package struct ConfigurationError: Error, Sendable {
    /// In the order of the file; never empty.
    package let mistakes: [Finding]
    package let warnings: [Finding]

    /// The process's exit status: `EX_CONFIG` of sysexits(3).
    package static let exitStatus: Int32 = 78
}

extension ConfigurationError: CustomStringConvertible {
    /// One line for each mistake, then for each warning.
    package var description: String {
        (mistakes + warnings).map(\.description).joined(separator: "\n")
    }
}

/// Where a value that the configuration only refers to comes from.
package enum SecretSource: Sendable, Equatable, CustomStringConvertible {
    /// The absolute path of a file.
    case file(String)
    /// The name of an environment variable.
    case variable(String)
    /// The configuration itself; only for what is public.
    case inline

    package var description: String {
        switch self {
        case .file(let path): "file \(path)"
        case .variable(let name): "variable \(name)"
        case .inline: "given in place"
        }
    }
}

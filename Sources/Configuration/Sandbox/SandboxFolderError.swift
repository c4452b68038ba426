import Glibc

/// Why `ipnd init` did not make a folder.
package enum SandboxFolderError: Error, Equatable, Sendable {
    /// There is a configuration already.
    case configurationExists(String)
    /// There is a file that init would have to overwrite, and no interrupted init made it.
    case fileExists(String)
    /// Notifications and the admin side cannot share one address.
    case sameAddress(String)
    /// The kernel refused, e.g. EACCES or ENOSPC.
    case system(operation: String, path: String, errno: Int32)
    /// OpenSSL could not make a key.
    case keyGeneration(String)
}

extension SandboxFolderError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .configurationExists(let path):
            "\(path) exists already, and init overwrites nothing; name another folder, "
                + "or look at it with `ipnd check --config \(path)`"
        case .fileExists(let path):
            "\(path) exists already, and init overwrites nothing; "
                + "name another folder or move the file away"
        case .sameAddress(let address):
            "\(address) cannot serve both notifications and the admin side; give two addresses"
        case .system(let operation, let path, let code):
            "\(path): \(operation): \(String(cString: strerror(code)))"
        case .keyGeneration(let detail):
            "no key could be made: \(detail)"
        }
    }
}

import Bytes
import Cryptography
import Glibc
import Platform
import Providers

/// A ready-to-run folder with fresh keys for every system: what `ipnd init` makes.
///
/// The configuration is written first under another name and renamed last, which is the one moment
/// at which the folder becomes a configuration. So an interrupted init leaves that other name, and
/// the next one knows by it that the keys beside it are nobody's.
package struct SandboxFolder: Sendable {
    /// Where `ipnd simulate` listens unless it is told otherwise.
    package static let simulator = SocketAddress.ip(.v4([127, 0, 0, 1]), port: 8090)

    package static let configurationName = "ipnd.yaml"
    private static let unfinishedName = "ipnd.yaml.unfinished"

    /// The folder as it was named.
    package let folder: String
    /// What was made, relative to the folder, in order.
    package let files: [String]

    /// The configuration to give to `--config`.
    package var configuration: String { "\(folder)/\(Self.configurationName)" }

    /// Makes `folder` with everything in it.
    ///
    /// - Parameters:
    ///   - listen: Where notifications come in.
    ///   - admin: Where the merchant's own systems ask.
    ///   - simulator: Where `ipnd simulate` answers inquiries; nil for no `inquiry:`.
    /// - Throws: ``SandboxFolderError``; nothing that was there before has been changed then.
    package static func create(
        at folder: String, listen: SocketAddress, admin: SocketAddress,
        simulator: SocketAddress? = Self.simulator
    ) throws(SandboxFolderError) -> SandboxFolder {
        let folder = trimmed(folder)
        guard listen != admin || listen.isAnyPort else { throw .sameAddress("\(listen)") }
        let configuration = "\(folder)/\(configurationName)"
        let unfinished = "\(folder)/\(unfinishedName)"
        guard !PrivateFile.exists(configuration) else { throw .configurationExists(configuration) }
        let endpoints = try SandboxEndpoint.all(simulator: simulator)
        let token = SandboxEndpoint.File(
            "secrets/admin-token", "\(Hex.encode(secureRandomBytes(32)))\n")
        let files = [token] + endpoints.flatMap(\.files)
        if !PrivateFile.exists(unfinished) {
            for file in files where PrivateFile.exists("\(folder)/\(file.path)") {
                throw .fileExists("\(folder)/\(file.path)")
            }
        }
        try PrivateFile.makeFolder(folder)
        let text = text(listen: listen, admin: admin, endpoints: endpoints)
        try PrivateFile.write(Array(text.utf8), to: unfinished, mode: 0o600)
        try PrivateFile.syncFolder(folder)
        for name in ["journal", "keys", "sandbox", "secrets"] {
            try PrivateFile.makeFolder("\(folder)/\(name)")
        }
        for file in files {
            try PrivateFile.write(file.bytes, to: "\(folder)/\(file.path)", mode: 0o600)
        }
        for name in ["keys", "sandbox", "secrets"] {
            try PrivateFile.syncFolder("\(folder)/\(name)")
        }
        guard rename(unfinished, configuration) == 0 else {
            throw .system(operation: "rename", path: configuration, errno: errno)
        }
        try PrivateFile.syncFolder(folder)
        return SandboxFolder(folder: folder, files: [configurationName] + files.map(\.path))
    }

    private static func trimmed(_ folder: String) -> String {
        // An empty name would mean the root directory.
        var folder = folder.isEmpty ? "." : folder
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        return folder
    }

    private static func text(
        listen: SocketAddress, admin: SocketAddress, endpoints: [SandboxEndpoint]
    ) -> String {
        """
        # Made by `ipnd init`: a sandbox, whose provider's keys lie in sandbox/ for `ipnd send`.
        # For real notifications put the provider's public keys and your secrets in place of these.
        # config/ipnd.yaml in the source shows every key with its default.
        # After a change: ipnd check --config \(configurationName)
        listeners:
          - address: \(quotedAddress(listen))
        admin: {address: \(quotedAddress(admin)), token: {file: secrets/admin-token}}
        journal: {directory: journal}
        endpoints:
        \(endpoints.flatMap(\.lines).joined(separator: "\n"))

        """
    }

    /// `[::1]:8080` would begin a list in YAML.
    private static func quotedAddress(_ address: SocketAddress) -> String {
        "\"\(String("\(address)".flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }))\""
    }
}

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
            "\(path) already exists, and init overwrites nothing; choose another folder, "
                + "or check it with `ipnd check --config \(path)`"
        case .fileExists(let path):
            "\(path) already exists, and init overwrites nothing; "
                + "choose another folder or move the file away"
        case .sameAddress(let address):
            "\(address) cannot serve both notifications and the admin API; use two addresses"
        case .system(let operation, let path, let code):
            "\(path): \(operation): \(String(cString: strerror(code)))"
        case .keyGeneration(let detail):
            "cannot generate a key: \(detail)"
        }
    }
}

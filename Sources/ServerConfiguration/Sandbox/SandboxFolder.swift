import Bytes
import Cryptography
import Glibc
import Platform
import Providers

/// A folder made by `ipnd init` that is ready to run, with new keys for every system.
///
/// The configuration is written first, under a temporary name, and renamed last, which makes the
/// folder a configuration. An interrupted init leaves the temporary name, by which the next init
/// recognises that no server uses the keys beside it.
package struct SandboxFolder: Sendable {
    /// The default address of `ipnd simulate`.
    package static let simulator = SocketAddress.ip(.v4([127, 0, 0, 1]), port: 8090)

    package static let configurationName = "ipnd.yaml"
    private static let unfinishedName = "ipnd.yaml.unfinished"

    /// The path of the folder as the caller gave it.
    package let folder: String
    /// The created files, relative to the folder, in order.
    package let files: [String]

    /// The configuration to give to `--config`.
    package var configuration: String { "\(folder)/\(Self.configurationName)" }

    /// Creates `folder` with all its files.
    ///
    /// - Parameters:
    ///   - listen: The address at which notifications arrive.
    ///   - admin: The address of the admin API.
    ///   - simulator: The address at which `ipnd simulate` answers inquiries; nil writes no
    ///     `inquiry:`.
    /// - Throws: ``SandboxFolderError``; existing files are unchanged then.
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
        for name in ["endpoints.d", "journal", "keys", "sandbox", "secrets"] {
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
        # `ipnd add` writes a file here for each endpoint.
        include: endpoints.d/*.yaml
        endpoints:
        \(endpoints.flatMap(\.lines).joined(separator: "\n"))

        """
    }

    /// The address in quotes, because `[::1]:8080` would begin a list in YAML.
    private static func quotedAddress(_ address: SocketAddress) -> String {
        "\"\(String("\(address)".flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }))\""
    }
}

/// The reason why `ipnd init` did not create a folder.
package enum SandboxFolderError: Error, Equatable, Sendable {
    /// A configuration already exists.
    case configurationExists(String)
    /// A file exists that init would have to overwrite, and no interrupted init made it.
    case fileExists(String)
    /// Notifications and the admin API cannot share an address.
    case sameAddress(String)
    /// The kernel refused, e.g. EACCES or ENOSPC.
    case system(operation: String, path: String, errno: Int32)
    /// OpenSSL could not generate a key.
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

import Cryptography
import Providers

/// One system's part of a new folder: its lines in the configuration and its fresh keys.
struct SandboxEndpoint {
    /// A file below the new folder.
    struct File: Equatable {
        let path: String
        let bytes: [UInt8]
    }

    /// The item of `endpoints:`, indented by two.
    let lines: [String]
    let files: [File]

    /// The endpoint's name, where the system's own is longer than a merchant would write.
    private static let shortNames = ["citcon-upi": "citcon"]

    /// Makes keys of the kind that the system wants.
    init(_ descriptor: ProviderDescriptor) throws(SandboxFolderError) {
        let name = Self.shortNames[descriptor.name] ?? descriptor.name
        var lines = [
            "  - name: \(name)", "    path: /ipn/\(name)", "    provider: \(descriptor.name)",
        ]
        if descriptor.settingsKeys.contains("clientID") { lines.append("    clientID: SANDBOX_1") }
        switch descriptor.credential {
        case .rsaKeyPair:
            let key: RSAPrivateKey
            do throws(KeyError) { key = try RSAPrivateKey.generate() } catch {
                throw .keyGeneration("\(error)")
            }
            files = [
                File(path: "keys/\(name).pem", bytes: Array(key.publicKeyPEM.utf8)),
                File(path: SandboxKeys.privateKeyPath(endpoint: name), bytes: Array(key.pem.utf8)),
            ]
            lines.append("    keys: [{version: 1, publicKey: {file: keys/\(name).pem}}]")
        case .secret:
            files = [Self.secret(name, Hex.encode(secureRandomBytes(16)))]
        case .hexSecret(let count):
            files = [Self.secret(name, Hex.encode(secureRandomBytes(count)))]
        case .standardWebhooksSecret:
            files = [Self.secret(name, "whsec_" + Base64.encode(secureRandomBytes(32)))]
        }
        if descriptor.credential != .rsaKeyPair {
            lines.append("    secrets: [{file: secrets/\(name)}]")
        }
        self.lines = lines + Self.settings(descriptor.settingsKeys)
    }

    private static func secret(_ name: String, _ text: String) -> File {
        File(path: "secrets/\(name)", bytes: Array("\(text)\n".utf8))
    }

    /// The other settings that a system reads, with values for trying it out.
    private static func settings(_ keys: Set<String>) -> [String] {
        var lines: [String] = []
        if keys.contains("projectID") { lines.append("    projectID: 115") }
        if keys.contains("mode") {
            lines.append("    mode: test            # `live` refuses to call test payments paid")
        }
        if keys.contains("hmac") {
            lines += ["    hmac: {header: x-signature, algorithm: sha256, encoding: hex}"]
        }
        if keys.contains("fields") { lines += fields }
        return lines
    }

    private static let fields = [
        "    fields:",
        "      identity: [/id]",
        "      reference: /reference",
        "      transaction: /transaction",
        "      status: /status",
        "      amount: /amount",
        "      currency: /currency",
        "      statuses: {paid: paid, pending: pending, failed: failed, refunded: refunded}",
    ]
}

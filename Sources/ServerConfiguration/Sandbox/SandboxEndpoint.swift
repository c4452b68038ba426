import Bytes
import Cryptography
import Platform
import Providers

/// One endpoint of a new folder: its lines in the configuration and its new keys.
struct SandboxEndpoint {
    /// A file below the new folder.
    struct File: Equatable {
        let path: String
        let bytes: [UInt8]

        init(_ path: String, _ text: String) {
            self.path = path
            bytes = Array(text.utf8)
        }
    }

    /// The lines of the item in `endpoints:`, indented by two spaces.
    private(set) var lines: [String]
    private(set) var files: [File] = []

    /// One endpoint for each system, then the systems' examples.
    ///
    /// - Parameter simulator: The address at which `ipnd simulate` answers inquiries; nil writes no
    ///   `inquiry:`.
    static func all(
        simulator: SocketAddress?
    ) throws(SandboxFolderError) -> [SandboxEndpoint] {
        do throws(KeyError) {
            var endpoints: [SandboxEndpoint] = []
            for descriptor in ProviderCatalog.shipped.list {
                endpoints.append(try SandboxEndpoint(descriptor, simulator: simulator))
            }
            for descriptor in ProviderCatalog.shipped.list {
                for example in descriptor.examples {
                    endpoints.append(try SandboxEndpoint(descriptor, example))
                }
            }
            return endpoints
        } catch {
            throw .keyGeneration("\(error)")
        }
    }

    private init(name: String, provider: String) {
        lines = ["  - name: \(name)", "    path: /ipn/\(name)", "    provider: \(provider)"]
    }

    /// Generates keys of the kind that the system uses.
    init(_ descriptor: ProviderDescriptor, simulator: SocketAddress?) throws(KeyError) {
        let name = descriptor.sandboxName
        self.init(name: name, provider: descriptor.name)
        for row in descriptor.rows(.endpoint) {
            switch row.kind {
            case .publicKeys(let naming): try addKeyPair(row.key, name, naming)
            case .certificates: try addCertificate(row, name, descriptor)
            case .secrets(let form) where row.isRequired:
                files.append(File("secrets/\(name)", "\(SandboxMark.secret(form))\n"))
                lines.append("    \(row.key): [{file: secrets/\(name)}]")
            case .secret where row.isRequired:
                let path = "secrets/\(name)-\(row.key)"
                files.append(File(path, "\(SandboxMark.secret(.text))\n"))
                lines.append("    \(row.key): {file: \(path)}")
            default: try add(row)
            }
        }
        guard let simulator, let inquiry = descriptor.inquiry, inquiry.knowsReferences,
            !inquiry.confirms
        else { return }
        var members = ["url: \"http://\(simulator)\""]
        for row in descriptor.rows(.inquiry) {
            guard let value = try row.sandbox?.make() else { continue }
            if case .secret = row.kind, case .text(let text) = value {
                let path =
                    text.hasPrefix("-----BEGIN")
                    ? "keys/\(name)-merchant.pem" : "secrets/\(name)-inquiry"
                files.append(File(path, text.hasSuffix("\n") ? text : "\(text)\n"))
                members.append("\(row.key): {file: \(path)}")
            } else {
                members.append("\(row.key): \(value.yaml)")
            }
        }
        lines.append("    inquiry: {\(members.joined(separator: ", "))}")
    }

    private init(_ descriptor: ProviderDescriptor, _ example: SandboxExample) throws(KeyError) {
        self.init(name: example.name, provider: descriptor.name)
        let keys = try example.make()
        files.append(File(example.file, "\(keys.endpoint)\n"))
        if let sender = keys.sender {
            files.append(
                File(SandboxKeys.signingKeyPath(endpoint: example.name), "\(sender)\n"))
        }
        lines += example.lines.map { "    \($0)" }
    }

    private mutating func addKeyPair(
        _ key: String, _ name: String, _ naming: SettingRow.KeyName
    ) throws(KeyError) {
        let pair = try RSAPrivateKey.generate()
        files.append(File("keys/\(name).pem", pair.publicKeyPEM))
        files.append(File(SandboxKeys.privateKeyPath(endpoint: name), pair.pem))
        let reference = "{file: keys/\(name).pem}"
        let item =
            switch naming {
            case .version: "{version: 1, publicKey: \(reference)}"
            case .serial: "{serial: \(SandboxMark.keySerial), publicKey: \(reference)}"
            case .unnamed: reference
            }
        lines.append("    \(key): [\(item)]")
    }

    /// A certificate that its sender's key made, and that the endpoint trusts.
    private mutating func addCertificate(
        _ row: SettingRow, _ name: String, _ descriptor: ProviderDescriptor
    ) throws(KeyError) {
        guard let subject = descriptor.sandboxCertificateName else { return }
        let key = try RSAPrivateKey.generate()
        files.append(File("keys/\(name).pem", try Certificate.selfSigned(key, name: subject)))
        files.append(File(SandboxKeys.privateKeyPath(endpoint: name), key.pem))
        lines.append("    \(row.key): keys/\(name).pem")
    }

    private mutating func add(_ row: SettingRow) throws(KeyError) {
        guard let sandbox = row.sandbox else { return }
        guard sandbox.lines.isEmpty else {
            lines += ["    \(row.key):"] + sandbox.lines.map { "      \($0)" }
            return
        }
        var line = "    \(row.key): \(try sandbox.make().yaml)"
        if let comment = sandbox.comment {
            line += String(repeating: " ", count: max(26 - line.count, 1)) + "# \(comment)"
        }
        lines.append(line)
    }
}

extension SettingValue {
    /// The value on one line of YAML.
    fileprivate var yaml: String {
        switch self {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .texts(let list): "[\(list.joined(separator: ", "))]"
        case .scheme(let scheme):
            "{header: \(scheme.header ?? ""), algorithm: \(scheme.algorithm.rawValue), "
                + "encoding: \(scheme.encoding.rawValue)}"
        case .secrets, .keys, .fields: "[]"
        }
    }
}

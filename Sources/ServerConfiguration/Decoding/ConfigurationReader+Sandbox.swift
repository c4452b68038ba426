import Bytes
import Cryptography
import Platform
import Providers

extension ConfigurationReader {
    /// Warns about values of a sandbox in a configuration that takes real notifications: a
    /// credential that `ipnd init` generated and that is still accepted, or a provider's test
    /// payments that count as paid. Returns why the configuration takes real notifications; nil
    /// where it may be a sandbox.
    func warnOfSandbox(
        _ listeners: [Placed<ListenerConfiguration>], _ places: [ValueReader],
        _ endpoints: [EndpointConfiguration]
    ) -> String? {
        guard !reading.hasMistakes else { return nil }
        let traces = endpoints.map { SandboxTraces(of: $0, folder: reading.folder) }
        guard let live = Self.livePart(listeners, endpoints, traces) else { return nil }
        for (place, traces) in zip(places, traces) {
            for trace in traces.found {
                place.value(at: trace.key).warning("\(trace.problem), and \(live)", trace.remedy)
            }
        }
        return live
    }

    /// The reason why this configuration is taken to receive real notifications; nil where it may
    /// be a sandbox.
    private static func livePart(
        _ listeners: [Placed<ListenerConfiguration>], _ endpoints: [EndpointConfiguration],
        _ traces: [SandboxTraces]
    ) -> String? {
        for listener in listeners.map(\.value) {
            if !listener.address.isLocal {
                return "\(listener.address) can be reached from other machines"
            }
            if listener.proxy.header != nil || listener.proxy.usesProxyProtocol {
                return "a proxy passes requests on to \(listener.address)"
            }
        }
        return zip(endpoints, traces).first { $1.hasRealCredential }
            .map { endpoint, _ in "the endpoint \(endpoint.name) has a real key or secret" }
    }
}

/// The values of one endpoint that come from a sandbox.
private struct SandboxTraces {
    struct Trace {
        /// The path below the endpoint, as in `secrets[1]`.
        let key: String
        let problem: String
        let remedy: String
    }

    private(set) var found: [Trace] = []
    /// Whether it accepts a key or secret that `ipnd init` did not generate.
    private(set) var hasRealCredential = false

    init(of endpoint: EndpointConfiguration, folder: String) {
        let settings = endpoint.settings
        let secrets = endpoint.descriptor.secretsKey
        for (index, secret) in settings.secrets.enumerated() {
            let key = "\(secrets)[\(index)]"
            let file = SandboxKeys.signingKeyPath(endpoint: endpoint.name)
            if SandboxMark.isMarked(secret) {
                add(key, "this secret is `ipnd init`'s own")
            } else if Self.webhookKey(in: "\(folder)/\(file)", hasPublicHalf: secret) {
                add(key, "the private half of this key is in \(file)")
            } else {
                hasRealCredential = true
            }
        }
        let keys = endpoint.descriptor.keysKey
        for (index, key) in settings.keys.enumerated() {
            let file = SandboxKeys.privateKeyPath(endpoint: endpoint.name)
            if Self.rsaKey(in: "\(folder)/\(file)", hasPublicHalf: key.text) {
                add("\(keys)[\(index)]", "the private half of this key is in \(file)")
            } else {
                hasRealCredential = true
            }
        }
        for row in endpoint.descriptor.rows(.endpoint) {
            guard let trace = settings[row.key].flatMap(row.sandboxTrace) else { continue }
            found.append(Trace(key: row.key, problem: trace.problem, remedy: trace.remedy))
        }
    }

    private mutating func add(_ key: String, _ problem: String) {
        found.append(
            Trace(
                key: key, problem: problem,
                remedy: "put the provider's in its place, or remove it: who has the sandbox's "
                    + "folder can report payments"))
    }

    /// Whether the private key in `file` belongs to the public key `text`. False where this user
    /// may not read the file.
    private static func rsaKey(in file: String, hasPublicHalf text: String) -> Bool {
        guard let contents = try? FileContents(path: file, bytesMax: 65_536),
            let key = try? RSAPrivateKey(pem: String(decoding: contents.bytes, as: UTF8.self)),
            let own = KeyFingerprint(text: key.publicKeyPEM)
        else { return false }
        return own == KeyFingerprint(text: text)
    }

    private static func webhookKey(in file: String, hasPublicHalf secret: [UInt8]) -> Bool {
        guard secret.starts(with: StandardWebhooksKey.publicPrefix.utf8),
            let contents = try? FileContents(path: file, bytesMax: 65_536),
            case .signing(let key)? = try? StandardWebhooksKey(contents.bytes, setting: "")
        else { return false }
        let text = StandardWebhooksKey.publicText(key.publicKey)
        // The configuration may leave out the padding.
        return text.utf8.starts(with: secret.filter { $0 != UInt8(ascii: "=") && $0 > 0x20 })
    }
}

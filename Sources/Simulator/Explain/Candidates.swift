import Bytes
import Cryptography
import Glibc
import Platform
import Providers

extension Suspect.Candidate {
    /// Keys and secrets in `keys/`, `secrets/` and `sandbox/` below the configuration's folder. Of
    /// a private key the public half is taken.
    package static func beside(folder: String, for system: ProviderDescriptor) -> [Self] {
        let isKeyPair = system.credential == .rsaKeyPair
        let places =
            switch system.credential {
            case .rsaKeyPair: ["sandbox", "keys"]
            case .standardWebhooksSecret: ["secrets", "sandbox", "keys"]
            default: ["secrets", "sandbox"]
            }
        return places.flatMap { place in
            let names = (try? Directory.list("\(folder)/\(place)")) ?? []
            return names.sorted().compactMap { name in
                read("\(folder)/\(place)/\(name)", name: "\(place)/\(name)", isKeyPair: isKeyPair)
            }
        }
    }

    /// The key or secret in a file; nil where there is none that this kind of system could use.
    package static func read(_ path: String, name: String, isKeyPair: Bool) -> Self? {
        guard
            let bytes = try? FileContents(path: path, bytesMax: 65_536, allowsPipes: true).bytes
        else { return nil }
        let isSandbox = name.hasPrefix("sandbox/")
        guard isKeyPair else {
            let secret = Array(bytes.trimming { $0 == 0x0A || $0 == 0x0D })
            guard !secret.isEmpty else { return nil }
            if secret.starts(with: StandardWebhooksKey.privatePrefix.utf8),
                case .signing(let key)? = try? StandardWebhooksKey(secret, setting: name)
            {
                return Self(
                    name: "the public half of \(name)",
                    bytes: Array(StandardWebhooksKey.publicText(key.publicKey).utf8),
                    isSandbox: isSandbox)
            }
            return Self(name: name, bytes: secret, isSandbox: isSandbox)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if (try? RSAPublicKey(text: text)) != nil {
            return Self(name: name, bytes: bytes, isSandbox: isSandbox)
        }
        guard let key = try? RSAPrivateKey(pem: text) else { return nil }
        return Self(
            name: "the public half of \(name)", bytes: Array(key.publicKeyPEM.utf8),
            isSandbox: isSandbox)
    }
}

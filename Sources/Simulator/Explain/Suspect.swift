import Bytes
import Configuration
import Cryptography
import Glibc
import Payments
import Platform
import Providers

/// A request that did not verify, with the context for finding out why.
package struct Suspect: Sendable {
    /// A key or secret to try, and its place.
    package struct Candidate: Sendable, Equatable {
        /// Its name, such as `keys/shop.pem`; never the secret itself.
        package let name: String
        /// A public key as text, or a secret.
        package let bytes: [UInt8]
        /// Whether it was generated for the sandbox, not issued by a provider.
        package let isSandbox: Bool

        package init(name: String, bytes: [UInt8], isSandbox: Bool = false) {
            self.name = name
            self.bytes = bytes
            self.isSandbox = isSandbox
        }
    }

    package let request: CapturedRequest
    package let system: ProviderDescriptor
    package let settings: EndpointSettings
    /// The path that the provider uses.
    package let publicPath: String
    /// Set if no endpoint has the request's path.
    package let unknownPath: UnknownPath?
    /// Time of receipt, by which a signed time is checked.
    package let received: Timestamp
    /// The other endpoints of the configuration.
    package let others: [EndpointConfiguration]
    package let candidates: [Candidate]
    /// Paths under which the provider may know the endpoint.
    package let givenPaths: [String]

    package init(
        request: CapturedRequest, system: ProviderDescriptor, settings: EndpointSettings,
        publicPath: String, unknownPath: UnknownPath? = nil, received: Timestamp,
        others: [EndpointConfiguration] = [], candidates: [Candidate] = [],
        givenPaths: [String] = []
    ) {
        self.request = request
        self.system = system
        self.settings = settings
        self.publicPath = publicPath
        self.unknownPath = unknownPath
        self.received = received
        self.others = others
        self.candidates = candidates
        self.givenPaths = givenPaths
    }

    /// The request as the endpoint's provider verifies it.
    package var delivery: SignedRequest {
        SignedRequest(
            method: request.method, path: Array(publicPath.utf8)[...], query: request.query,
            headers: request.headers,
            body: request.body, received: received)
    }

    /// The value of the header `lowercasedName`.
    func header(_ lowercasedName: String) -> String? {
        delivery.headers.first { $0.isNamed(lowercasedName) }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }
}

extension Suspect.Candidate {
    /// Keys and secrets in `keys/`, `secrets/` and `sandbox/` below the configuration's folder; the
    /// public part of private keys.
    package static func beside(folder: String, for system: ProviderDescriptor) -> [Self] {
        let isKeyPair = system.credential == .rsaKeyPair
        let places =
            switch system.credential {
            case .rsaKeyPair: ["sandbox", "keys"]
            case .certificate: []
            case .secret(.standardWebhooks): ["secrets", "sandbox", "keys"]
            default: ["secrets", "sandbox"]
            }
        return places.flatMap { place in
            let names = (try? Directory.list("\(folder)/\(place)")) ?? []
            return names.sorted().compactMap { name in
                read("\(folder)/\(place)/\(name)", name: "\(place)/\(name)", isKeyPair: isKeyPair)
            }
        }
    }

    /// The key or secret in a file; nil if it has none of this kind.
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

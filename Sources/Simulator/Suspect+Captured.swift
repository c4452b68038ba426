import Bytes
import Cryptography
import Explain
import Payments
import Platform
import Providers
import ServerConfiguration

extension Suspect {
    /// A captured request at an endpoint of the configuration.
    ///
    /// - Parameter received: The time of receipt, by which a signed time is checked.
    package init(
        request: CapturedRequest, system: ProviderDescriptor, settings: EndpointSettings,
        publicPath: String, unknownPath: UnknownPath? = nil, received: Timestamp,
        others: [EndpointConfiguration] = [], candidates: [Candidate] = [],
        givenPaths: [String] = []
    ) {
        self.init(
            request: SignedRequest(
                method: request.method, path: request.path, query: request.query,
                headers: request.headers, body: request.body, received: received),
            system: system, settings: settings, publicPath: publicPath, unknownPath: unknownPath,
            others: others.map {
                Endpoint(
                    name: $0.name, system: $0.descriptor, settings: $0.settings,
                    publicPath: $0.publicPath)
            }, candidates: candidates, givenPaths: givenPaths)
    }
}

extension Explainer {
    /// Tries the hypotheses until `clock` says that the budget's time is over.
    package static func explain(
        _ suspect: Suspect, hypotheses: [Hypothesis] = Hypothesis.all,
        budget: ExplanationBudget = .command, keyHint: String = "",
        clock: any Clock = SystemClock()
    ) -> Explanation {
        let deadline = budget.seconds.map { clock.now.advanced(seconds: $0) }
        return explain(
            suspect, hypotheses: hypotheses, budget: budget, keyHint: keyHint,
            isTimeUp: { deadline.map { clock.now >= $0 } ?? false })
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

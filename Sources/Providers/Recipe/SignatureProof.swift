import Bytes
import Cryptography
import JSON
import Payments

/// Verifies and makes signatures as an ``HMACScheme`` says, at one endpoint.
struct SignatureProof: Sendable {
    /// A secret of the endpoint, ready to sign with.
    private enum Key: Sendable {
        case hmac(HMACKey)
        case hash(HMAC.Algorithm, secret: [UInt8])
    }

    private let scheme: HMACScheme
    private let content: SignedContent
    private let keys: Secrets<Key>
    private let tolerance: TimeTolerance?
    private let path: PointerPath?

    /// - Throws: ``SettingsError`` for a scheme, key or setting that cannot work.
    init(
        _ scheme: HMACScheme, secrets: [[UInt8]], settings: EndpointSettings
    ) throws(SettingsError) {
        try scheme.check()
        self.scheme = scheme
        content = try SignedContent(scheme.content, settings)
        var keys: [Key] = []
        for (index, secret) in secrets.enumerated() {
            let key = try scheme.keyForm.key(secret, setting: "\(scheme.secrets)[\(index)]")
            keys.append(
                scheme.kind == .hmac
                    ? .hmac(HMACKey(scheme.algorithm, key))
                    : .hash(scheme.algorithm, secret: key))
        }
        self.keys = Secrets(values: keys)
        tolerance = try Self.tolerance(scheme, settings)
        if case .pointer(let pointer) = scheme.place {
            path = PointerPath(pointer)
        } else {
            path = nil
        }
    }

    /// Whether the body has to be parsed before the signature can be checked.
    var readsBody: Bool { path != nil || content.readsBody }

    /// - Parameter body: The parsed body, where ``readsBody``.
    /// - Returns: The key that verified, and the signed id where the scheme has one.
    func verify(
        _ delivery: SignedRequest, body: JSONValue?
    ) throws(Refusal) -> (key: String, id: String?) {
        let signature = try HMACSignatureValue(value(delivery, body), scheme)
        let time = try value(scheme.content.timestamp, signature, delivery)
        let sentID = try value(scheme.content.id, signature, delivery)
        let id: String? = if let sentID { try content.identifier(sentID) } else { nil }
        let moment: Timestamp? = if let time { try content.moment(time) } else { nil }
        let parts = try content.parts(delivery, id: sentID ?? [], timestamp: time ?? [], body)
        let key = keys.ordinal { key in
            let code = code(key, parts)
            return signature.signatures.reduce(false) { constantTimeEqual($1, code) || $0 }
        }
        guard let key else { throw .signatureMismatch }
        if let tolerance {
            guard let moment else { throw SignedContent.timestampMalformed }
            try tolerance.check(moment, received: delivery.received)
        }
        return (key, id)
    }

    /// The encoded signature of a request with the first key, with its prefix.
    func signature(
        _ delivery: SignedRequest, id: String, timestamp: String, body: JSONValue?
    ) throws(Refusal) -> String {
        let parts = try content.parts(
            delivery, id: Array(id.utf8)[...], timestamp: Array(timestamp.utf8)[...], body)
        let code = code(keys.values[0], parts)
        return scheme.prefix + (scheme.encoding == .hex ? Hex.encode(code) : Base64.encode(code))
    }

    private func code(_ key: Key, _ parts: [ArraySlice<UInt8>]) -> [UInt8] {
        switch key {
        case .hmac(let key): return key.code(parts: parts)
        case .hash(let algorithm, let secret):
            var parts = parts
            if let place = content.secretPlace { parts[place] = secret[...] }
            return algorithm.hash(parts: parts)
        }
    }

    private func value(
        _ delivery: SignedRequest, _ body: JSONValue?
    ) throws(Refusal) -> ArraySlice<UInt8> {
        guard let path else { return try delivery.single(scheme.header ?? "") }
        guard let value = body.flatMap({ path.value(in: $0) }), !value.isNull else {
            throw .unauthenticated("sign_missing", "the body has no signature")
        }
        guard let text = value.utf8 else {
            throw .unauthenticated("sign_not_text", "the signature is no text")
        }
        return text
    }

    private func value(
        _ place: SignedTemplate.Place?, _ signature: HMACSignatureValue, _ delivery: SignedRequest
    ) throws(Refusal) -> ArraySlice<UInt8>? {
        switch place {
        case nil: nil
        case .header(let name): try delivery.single(name)
        case .parameter(let name): try signature.parameter(name)
        }
    }

    private static func tolerance(
        _ scheme: HMACScheme, _ settings: EndpointSettings
    ) throws(SettingsError) -> TimeTolerance? {
        guard let seconds = settings[HMACWebhook.toleranceSeconds] else {
            guard !scheme.content.needsTolerance else {
                throw HMACWebhook.toleranceSeconds.error("it is needed")
            }
            return nil
        }
        guard scheme.content.timestamp != nil, seconds > 0 else {
            throw HMACWebhook.toleranceSeconds.error(
                "it needs a signed time, and more than zero seconds")
        }
        return TimeTolerance(seconds: Int64(seconds))
    }
}

extension HMACScheme.KeyForm {
    /// The key that a secret in this form is.
    ///
    /// - Throws: ``SettingsError`` at `setting` for a secret in another form.
    func key(_ secret: [UInt8], setting: String) throws(SettingsError) -> [UInt8] {
        switch self {
        case .text: return secret
        case .hex:
            guard let key = Hex.decode(secret.trimmingWhiteSpace), !key.isEmpty else {
                throw SettingsError(key: setting, message: "the secret is not hex")
            }
            return key
        case .base64:
            guard let key = Base64.decode(key: secret.trimmingWhiteSpace), !key.isEmpty else {
                throw SettingsError(key: setting, message: "the secret is not Base64")
            }
            return key
        }
    }
}

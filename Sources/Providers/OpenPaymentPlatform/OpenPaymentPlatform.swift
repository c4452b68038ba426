import Bytes
import Cryptography
import JSON
import Payments

/// Open Payment Platform (ACI Worldwide, and the many gateways that are built on it).
///
/// - **Verification:** the body is encrypted with AES-256-GCM, without additional data; successful
///   decryption is the proof. Headers `X-Initialization-Vector` (12 bytes in hex) and
///   `X-Authentication-Tag` (16). The body is the hex ciphertext, or `{"encryptedBody":"<hex>"}` if
///   the portal's "wrapper" is on.
/// - **Answer:** any `2xx`; ours is `200` with an empty body. A body that cannot be decrypted gets
///   `401`: the platform then retries for 30 days, in which a mistaken key can be fixed without
///   losing an event.
/// - **Retries:** 1, 2, 4, 8, 15, 30 min, 1 h, then daily for up to 30 days; the order is not
///   guaranteed.
/// - **Identity:** `type`, `action`, `payload.id`, `result.code`, `timestamp`; never the
///   ciphertext, which may differ in a retry.
/// - **Settings:** `secrets` (64 hex digits each), `mode`.
public struct OpenPaymentPlatform: Provider {
    public typealias Evidence = OPPEvidence

    private let keys: [AES256GCM]
    private let mode: EndpointSettings.Mode

    /// - Throws: ``SettingsError`` for a key that is not 64 hex digits.
    package init(settings: EndpointSettings) throws(SettingsError) {
        var keys: [AES256GCM] = []
        for (index, secret) in try settings.requiredSecrets().enumerated() {
            keys.append(try Self.key(secret, setting: "secrets[\(index)]"))
        }
        self.keys = keys
        mode = settings[Self.mode] ?? .live
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<OPPEvidence> {
        let iv = try Self.hexHeader(
            delivery.single("x-initialization-vector"), bytes: AES256GCM.ivBytes, "iv_malformed")
        let tag = try Self.hexHeader(
            delivery.single("x-authentication-tag"), bytes: AES256GCM.tagBytes, "tag_malformed")
        let ciphertext = try Self.ciphertext(delivery.body)
        for (index, key) in keys.enumerated() {
            if let plaintext = key.open(ciphertext: ciphertext, iv: iv, tag: tag) {
                return Verified(
                    evidence: OPPEvidence(plaintext: plaintext), key: String(index + 1))
            }
        }
        throw .unauthenticated("decryption_failed", "no key of this endpoint opens the body")
    }

    public var sendsOneEvent: Bool { true }

    public func interpret(_ evidence: OPPEvidence) -> Notification {
        OPPInterpretation.notification(plaintext: evidence.plaintext, mode: mode)
    }

    public func answer(_ verdict: Verdict) -> Answer {
        .plainText(verdict, accepted: .empty)
    }

    /// Reads a key of 64 hex digits; white space around them, such as the last newline of a file,
    /// is ignored.
    static func key(_ secret: [UInt8], setting: String) throws(SettingsError) -> AES256GCM {
        guard let bytes = Hex.decode(secret.trimmingWhiteSpace), bytes.count == AES256GCM.keyBytes,
            let key = try? AES256GCM(key: bytes)
        else {
            throw SettingsError(
                key: setting, message: "the key is not 64 hex digits, as the portal shows it")
        }
        return key
    }

    private static func hexHeader(
        _ value: ArraySlice<UInt8>, bytes count: Int, _ reason: String
    ) throws(Refusal) -> [UInt8] {
        guard let bytes = Hex.decode(value), bytes.count == count else {
            throw .unauthenticated(reason, "the header is not \(count) bytes in hex")
        }
        return bytes
    }

    /// Returns the bare or wrapped ciphertext. The body decides which it is, not the content type.
    private static func ciphertext(_ body: [UInt8]) throws(Refusal) -> [UInt8] {
        var hex = body.trimmingWhiteSpace
        if hex.first == UInt8(ascii: "{") {
            let root = try JSONDocument.parse(body).root
            guard let wrapped = root["encryptedBody"]?.utf8 else {
                throw .malformed("encrypted_body_missing", "the body has no text encryptedBody")
            }
            hex = wrapped
        }
        guard !hex.isEmpty, let ciphertext = Hex.decode(hex) else {
            throw .malformed("body_not_hex", "the body is not hex")
        }
        return ciphertext
    }
}

/// The decrypted notification. GCM's tag proves all of it and nothing else.
public struct OPPEvidence: Sendable, Equatable {
    let plaintext: [UInt8]
}

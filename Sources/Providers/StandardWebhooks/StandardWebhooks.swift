import Bytes
import Cryptography
import JSON
import Payments

/// Any system that follows the Standard Webhooks specification (standardwebhooks.com).
///
/// - **Verification:** headers `webhook-id`, `webhook-timestamp` (seconds since 1970) and
///   `webhook-signature`: one or more, separated by spaces, each a version, a comma and Base64.
///   `v1` is HMAC-SHA256 over `{id}.{timestamp}.{body}`, `v1a` is Ed25519 over the same. Other
///   versions are passed over. `StandardWebhooksKey` has the forms of the keys. Senders that use
///   Svix name the same headers `svix-…` unless they pay for other names
///   (docs.svix.com/receiving/verifying-payloads/how-manual): a request without `webhook-id` that
///   has `svix-id` is taken by those names.
/// - **Time:** within `toleranceSeconds` of ours, 300 by default: the specification asks for it,
///   and each of its retries is signed with a time of its own.
/// - **Answer:** any `2xx`; ours is `200` with an empty body.
/// - **Retries:** the specification suggests 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
/// - **Identity:** the id in the header, which a retry repeats.
/// - **Settings:** `secrets` (shared secrets and the sender's public keys), `toleranceSeconds`,
///   `fields` (without it, events are recorded as `ignored`).
public struct StandardWebhooks: Provider {
    public struct Evidence: Sendable, Equatable {
        let id: String
        let body: [UInt8]
        /// Of the headers that the mapping reads; nil for one that is absent or no word.
        let headers: [String?]

        init(id: String, body: [UInt8], headers: [String?] = []) {
            self.id = id
            self.body = body
            self.headers = headers
        }
    }

    package static let toleranceSecondsDefault = 300

    /// One of the endpoint's `secrets`, ready to verify.
    private enum Key: Sendable {
        case shared(HMACKey)
        case verifying(Ed25519PublicKey)
    }

    private let secrets: Secrets<Key>
    private let takesSymmetric: Bool
    private let takesAsymmetric: Bool
    /// Nil where events are recorded as they are.
    private let interpretation: MappedInterpretation?
    private let tolerance: TimeTolerance

    public var idsAreOfReference: Bool { interpretation?.idsAreOfReference ?? false }

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    package init(settings: EndpointSettings) throws(SettingsError) {
        var keys: [Key] = []
        for (index, secret) in try settings.requiredSecrets().enumerated() {
            switch try StandardWebhooksKey(secret, setting: "secrets[\(index)]") {
            case .shared(let key): keys.append(.shared(HMACKey(.sha256, key)))
            case .verifying(let key): keys.append(.verifying(key))
            case .signing:
                throw SettingsError(
                    key: "secrets[\(index)]",
                    message: "this is the sender's private key; the endpoint needs whpk_, the "
                        + "public one")
            }
        }
        secrets = Secrets(values: keys)
        takesSymmetric = keys.contains { if case .shared = $0 { true } else { false } }
        takesAsymmetric = keys.contains { if case .verifying = $0 { true } else { false } }
        let fields = settings[SettingRow.fields]
        try fields?.check()
        interpretation = fields.map { MappedInterpretation($0, settings: settings) }
        let seconds = settings[Self.toleranceSeconds] ?? Self.toleranceSecondsDefault
        guard seconds > 0 else {
            throw SettingsError(key: "toleranceSeconds", message: "it has to be more than zero")
        }
        tolerance = TimeTolerance(seconds: Int64(seconds))
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<Evidence> {
        let names = Self.names(in: delivery)
        let id = try delivery.single(names.id)
        let time = try delivery.single(names.time)
        let signatures = try StandardWebhooksSignatures(
            delivery.single(names.signature), takesSymmetric: takesSymmetric,
            takesAsymmetric: takesAsymmetric)
        guard id.isWord, let text = String(validating: id, as: UTF8.self) else {
            throw .unauthenticated(
                "webhook_id_malformed", "the \(names.id) header is not a valid id")
        }
        guard let moment = Self.moment(time) else {
            throw .unauthenticated(
                "timestamp_malformed", "the \(names.time) header is not seconds since 1970")
        }
        let key = key(signatures, Self.content(id: id, time: time, body: delivery.body))
        guard let key else { throw .signatureMismatch }
        try tolerance.check(moment, received: delivery.received)
        let headers = try interpretation?.headerValues(delivery) ?? []
        return Verified(
            evidence: Evidence(id: text, body: delivery.body, headers: headers), key: key)
    }

    /// All three of one family: a signature does not say under which name its time came.
    private static func names(
        in delivery: SignedRequest
    ) -> (id: String, time: String, signature: String) {
        if delivery.headers.search("webhook-id") == nil, delivery.headers.search("svix-id") != nil {
            return ("svix-id", "svix-timestamp", "svix-signature")
        }
        return ("webhook-id", "webhook-timestamp", "webhook-signature")
    }

    private func key(
        _ signatures: StandardWebhooksSignatures, _ content: [ArraySlice<UInt8>]
    ) -> String? {
        // Ed25519 takes its message in one piece.
        let joined = signatures.asymmetric.isEmpty ? [] : Array(content.joined())
        return secrets.ordinal { key in
            switch key {
            case .shared(let key):
                guard !signatures.symmetric.isEmpty else { return false }
                let code = key.code(parts: content)
                return signatures.symmetric.reduce(false) { constantTimeEqual(code, $1) || $0 }
            case .verifying(let key):
                return signatures.asymmetric.contains {
                    key.verify(message: joined, signature: $0)
                }
            }
        }
    }

    public func interpret(_ evidence: Evidence) -> Notification { notifications(in: evidence)[0] }

    public func notifications(in evidence: Evidence) -> [Notification] {
        interpretation?.notifications(
            evidence.body, headerValues: evidence.headers, carriedIdentity: evidence.id)
            ?? [Self.unmapped(evidence)]
    }

    public func answer(_ verdict: Verdict) -> Answer {
        .plainText(verdict, accepted: .empty)
    }

    /// The signed content, in parts.
    static func content(
        id: ArraySlice<UInt8>, time: ArraySlice<UInt8>, body: [UInt8]
    ) -> [ArraySlice<UInt8>] {
        let dot = [UInt8(ascii: ".")][...]
        return [id, dot, time, dot, body[...]]
    }

    private static func moment(_ digits: ArraySlice<UInt8>) -> Timestamp? {
        guard (1...12).contains(digits.count),
            digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        else { return nil }
        return Timestamp(
            epochSeconds: digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) })
    }

    /// Without a mapping nothing says what an event means: its own `type` is all that is kept of
    /// it.
    private static func unmapped(_ evidence: Evidence) -> Notification {
        let root = try? JSONDocument(parsing: evidence.body).root
        return Notification(
            id: EventIdentity.text(evidence.id), kind: "event",
            status: root?["type"]?.word ?? "unknown",
            occurred: root?["timestamp"]?.string.flatMap { Timestamp(lenient: $0) })
    }
}

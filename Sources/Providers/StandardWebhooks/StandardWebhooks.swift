import Cryptography
import JSON
import Payments

/// Any system that follows the Standard Webhooks specification (standardwebhooks.com).
///
/// - **Verification:** headers `webhook-id`, `webhook-timestamp` (seconds since 1970) and
///   `webhook-signature`: one or more, separated by spaces, each `v1,` and Base64 of HMAC-SHA256
///   over `{id}.{timestamp}.{body}`. Other versions are passed over. The secret is `whsec_` and
///   Base64.
/// - **Time:** within `toleranceSeconds` of ours, 300 by default: the specification asks for it,
///   and each of its retries is signed with a time of its own.
/// - **Answer:** any `2xx`; ours is `200` with an empty body.
/// - **Retries:** the specification suggests 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
/// - **Identity:** `webhook-id`, which a retry repeats.
/// - **Settings:** `secrets`, `toleranceSeconds`, `fields` (without it, events are recorded as
///   `ignored`).
package struct StandardWebhooks: Provider {
    package struct Evidence: Sendable, Equatable {
        let id: String
        let body: [UInt8]
    }

    package static let toleranceSecondsDefault = 300

    private let secrets: Secrets<HMACKey>
    private let fields: FieldMapping?
    private let tolerance: TimeTolerance

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    package init(
        settings: EndpointSettings, clock: WallClock = .system
    ) throws(SettingsError) {
        var values: [[UInt8]] = []
        for (index, secret) in try settings.requiredSecrets().enumerated() {
            values.append(try Self.key(secret, setting: "secrets[\(index)]"))
        }
        secrets = Secrets(values: values.map { HMACKey(.sha256, $0) })
        try settings.fields?.check()
        fields = settings.fields
        let seconds = settings.toleranceSeconds ?? Self.toleranceSecondsDefault
        guard seconds > 0 else {
            throw SettingsError(key: "toleranceSeconds", message: "it has to be more than zero")
        }
        tolerance = TimeTolerance(seconds: Int64(seconds), clock: clock)
    }

    package func verify(_ delivery: Delivery) throws(Refusal) -> Verified<Evidence> {
        let id = try delivery.single("webhook-id")
        let time = try delivery.single("webhook-timestamp")
        let signatures = try Self.signatures(delivery.single("webhook-signature"))
        guard id.isWord, let text = String(validating: id, as: UTF8.self) else {
            throw .unauthenticated("webhook_id_malformed", "the webhook-id header is no id")
        }
        guard let moment = Self.moment(time) else {
            throw .unauthenticated(
                "timestamp_malformed", "the webhook-timestamp header is not seconds since 1970")
        }
        let content = Self.content(id: id, time: time, body: delivery.body)
        let key = secrets.ordinal { secret in
            let code = secret.code(content)
            return signatures.reduce(false) { constantTimeEqual(code, $1) || $0 }
        }
        guard let key else { throw .signatureMismatch }
        try tolerance.check(moment)
        return Verified(evidence: Evidence(id: text, body: delivery.body), key: key)
    }

    package func interpret(_ evidence: Evidence) -> Notification {
        guard let fields else { return Self.unmapped(evidence) }
        return MappedReading.notification(
            evidence.body, mapping: fields, carriedIdentity: evidence.id)
    }

    package func answer(_ verdict: Verdict) -> Answer {
        .plainText(verdict, accepted: .empty)
    }

    /// Most signatures that are looked at; during a rotation there are two.
    static let signaturesMax = 16

    /// The bytes behind `whsec_`; white space around, as a file's last newline, does not count.
    static func key(_ secret: [UInt8], setting: String) throws(SettingsError) -> [UInt8] {
        var text = secret[...]
        while let last = text.last, last <= 0x20 { text.removeLast() }
        while let first = text.first, first <= 0x20 { text.removeFirst() }
        let prefix = Array("whsec_".utf8)
        guard text.starts(with: prefix),
            let key = Base64.decode(strict: text.dropFirst(prefix.count)), !key.isEmpty
        else {
            throw SettingsError(key: setting, message: "the secret is not whsec_ and Base64")
        }
        return key
    }

    static func content(
        id: ArraySlice<UInt8>, time: ArraySlice<UInt8>, body: [UInt8]
    ) -> [UInt8] {
        let dot = [UInt8(ascii: ".")]
        return id + dot + time + dot + body
    }

    private static func signatures(_ header: ArraySlice<UInt8>) throws(Refusal) -> [[UInt8]] {
        let parts = header.split(separator: UInt8(ascii: " "))
        guard parts.count <= signaturesMax else {
            throw .unauthenticated("signature_too_many", "more than \(signaturesMax) signatures")
        }
        let ours = parts.filter { $0.starts(with: "v1,".utf8) }
        guard !ours.isEmpty else {
            throw .unauthenticated("signature_version_unknown", "no signature of version v1")
        }
        let signatures = ours.compactMap { Base64.decode(strict: $0.dropFirst(3)) }
        guard !signatures.isEmpty else {
            throw .unauthenticated("signature_encoding", "no signature is Base64")
        }
        return signatures
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

import Cryptography
import Payments

/// A system that signs its webhooks with an HMAC in a header, and of which ipnd knows nothing but
/// the configuration.
///
/// - **Verification:** HMAC-SHA256 or -SHA512 in the header `hmac.header`, in hex or Base64, after
///   an optional prefix, over the body or over `{timestamp}.{body}` with the time from a header of
///   its own.
/// - **Answer:** `200` with an empty body.
/// - **Identity:** what `fields.identity` points at, and the status; where it is not given, the
///   body.
/// - **Settings:** `secrets`, `hmac`, `fields`, `toleranceSeconds` (none by default: a late retry
///   is still true, and a replay only a duplicate).
package struct HMACWebhook: Provider {
    package struct Evidence: Sendable, Equatable {
        let body: [UInt8]
    }

    private let secrets: Secrets<HMACKey>
    private let scheme: HMACScheme
    private let fields: FieldMapping
    private let tolerance: TimeTolerance?

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    package init(
        settings: EndpointSettings, clock: WallClock = .system
    ) throws(SettingsError) {
        let secrets = try settings.requiredSecrets()
        guard let scheme = settings.hmac else {
            throw SettingsError(key: "hmac", message: "how the provider signs is missing")
        }
        try scheme.check()
        guard let fields = settings.fields else {
            throw SettingsError(
                key: "fields", message: "where in the body the facts stand is missing")
        }
        try fields.check()
        self.scheme = scheme
        self.secrets = Secrets(values: secrets.map { HMACKey(scheme.algorithm, $0) })
        self.fields = fields
        tolerance = try Self.tolerance(settings, scheme, clock)
    }

    package func verify(_ delivery: Delivery) throws(Refusal) -> Verified<Evidence> {
        let signature = try decode(delivery.single(scheme.header))
        var content = delivery.body
        var time: ArraySlice<UInt8>?
        if case .timestampAndBody(let header) = scheme.content {
            let sent = try delivery.single(header)
            time = sent
            content = sent + [UInt8(ascii: ".")] + delivery.body
        }
        let key = secrets.ordinal { constantTimeEqual($0.code(content), signature) }
        guard let key else { throw .signatureMismatch }
        if let tolerance, let time {
            guard let moment = Timestamp(lenient: String(decoding: time, as: UTF8.self)) else {
                throw .unauthenticated("timestamp_malformed", "the signed time is no time")
            }
            try tolerance.check(moment)
        }
        return Verified(evidence: Evidence(body: delivery.body), key: key)
    }

    package func interpret(_ evidence: Evidence) -> Notification {
        MappedReading.notification(evidence.body, mapping: fields)
    }

    package func answer(_ verdict: Verdict) -> Answer {
        .plainText(verdict, accepted: .empty)
    }

    private func decode(_ value: ArraySlice<UInt8>) throws(Refusal) -> [UInt8] {
        guard value.starts(with: scheme.prefix.utf8) else {
            throw .unauthenticated(
                "signature_prefix", "the signature does not begin with the prefix")
        }
        let text = value.dropFirst(scheme.prefix.utf8.count)
        let bytes =
            switch scheme.encoding {
            case .hex: Hex.decode(text)
            case .base64: Base64.decode(strict: text)
            }
        guard let bytes, bytes.count == scheme.algorithm.byteCount else {
            throw .unauthenticated(
                "signature_encoding",
                "the signature is not \(scheme.algorithm.byteCount) bytes in \(scheme.encoding)")
        }
        return bytes
    }

    private static func tolerance(
        _ settings: EndpointSettings, _ scheme: HMACScheme, _ clock: WallClock
    ) throws(SettingsError) -> TimeTolerance? {
        guard let seconds = settings.toleranceSeconds else { return nil }
        guard case .timestampAndBody = scheme.content, seconds > 0 else {
            throw SettingsError(
                key: "toleranceSeconds",
                message: "it needs a signed time, and more than zero seconds")
        }
        return TimeTolerance(seconds: Int64(seconds), clock: clock)
    }
}

extension HMACScheme {
    /// - Throws: ``SettingsError`` for a header name that no header can have (RFC 9110 §5.6.2), or
    ///   the same for both.
    func check() throws(SettingsError) {
        guard Self.isToken(header) else {
            throw SettingsError(key: "hmac.header", message: "not a header name")
        }
        guard case .timestampAndBody(let time) = content else { return }
        guard Self.isToken(time), time != header else {
            throw SettingsError(
                key: "hmac.timestampHeader", message: "not the name of a header of its own")
        }
    }

    private static func isToken(_ name: String) -> Bool {
        let marks = "!#$%&'*+-.^_`|~".utf8
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || marks.contains(byte)
            }
    }
}

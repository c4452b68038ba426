import Bytes
import Cryptography
import Payments

/// Braintree's webhooks (developer.paypal.com/braintree/docs/guides/webhooks).
///
/// - **Verification:** a form with `bt_signature`, pairs `publicKey|hex` joined by `&`, and
///   `bt_payload`, Base64 of XML. The pair of an own public key counts: the hex of HMAC-SHA1 over
///   the payload as text, with the SHA-1 of the private key as key; every official library also
///   tries the payload and a line feed.
/// - **Time:** signed in the payload.
/// - **Challenge:** `GET ?bt_challenge=…` is not answered any more, as that would sign a
///   stranger's text.
/// - **Answer:** any `2xx`; ours is `200` with an empty body. Refused `401` or `400`, not stored
///   `503`.
/// - **Retries:** hourly for a day, in the sandbox for three hours; without order.
/// - **Identity:** kind, id of the subject and time: there is no event id.
/// - **Settings:** `keys`, `currency`, `mode`, `toleranceSeconds`.
public struct Braintree: Provider, MeasuredProvider {
    public typealias Evidence = BraintreeEvidence

    /// An API key.
    struct KeyPair: Sendable {
        let publicKey: [UInt8]
        let privateKey: [UInt8]
        let signing: HMACKey

        /// - Parameter text: `publicKey|privateKey`.
        init?(_ text: [UInt8]) {
            guard let bar = text.firstIndex(of: UInt8(ascii: "|")), bar > 0, bar < text.count - 1
            else { return nil }
            publicKey = Array(text[..<bar])
            privateKey = Array(text[(bar + 1)...])
            let digest = HMAC.Algorithm.sha1.hash(parts: [privateKey[...]])
            signing = HMACKey(.sha1, digest)
        }

        /// The hex digits of the signature.
        func signature(_ payload: [UInt8], _ end: [UInt8] = []) -> [UInt8] {
            Array(Hex.encode(signing.code(parts: [payload[...], end[...]])).utf8)
        }
    }

    /// Most pairs that are looked at: one for each API key of the merchant.
    static let pairsMax = 64

    package let verificationLimits: VerificationLimits
    private let pairs: [KeyPair]
    private let currency: Currency?
    private let tolerance: TimeTolerance

    /// - Throws: ``SettingsError`` without an API key, and for a currency that is none.
    package init(settings: EndpointSettings) throws(SettingsError) {
        verificationLimits = settings.verificationLimits
        pairs = try Self.pairs(settings)
        currency = try Self.currency(settings)
        tolerance = TimeTolerance(seconds: Int64(settings[Self.tolerance] ?? 172_800))
    }

    /// The currency of sums that name none.
    static func currency(_ settings: EndpointSettings) throws(SettingsError) -> Currency? {
        guard let code = settings[currency] else { return nil }
        guard let currency = Currency(listed: code) else {
            throw Self.currency.error("\(code) is no currency of ISO 4217")
        }
        return currency
    }

    static func pairs(_ settings: EndpointSettings) throws(SettingsError) -> [KeyPair] {
        var pairs: [KeyPair] = []
        for (index, text) in try settings.requiredSecrets(keys.row.key).enumerated() {
            guard let pair = KeyPair(text) else {
                throw SettingsError(
                    key: "\(keys.row.key)[\(index)]",
                    message: "an API key has a public and a private part, publicKey|privateKey")
            }
            pairs.append(pair)
        }
        return pairs
    }

    // MARK: Verification

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<BraintreeEvidence> {
        try verifyWithinLimits(delivery)
    }

    package func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<BraintreeEvidence> {
        let form = try FormBody(parsing: delivery.body[...], work: &work)
        guard let signature = form["bt_signature"] else {
            throw .unauthenticated("signature_missing", "the form has no `bt_signature`")
        }
        guard let text = form["bt_payload"] else {
            throw .malformed("field_missing", "the form has no `bt_payload`")
        }
        let payload = Array(text.utf8)
        guard payload.allSatisfy(Self.isPayload) else {
            throw .malformed(
                "payload_characters", "`bt_payload` has characters that are not those of Base64")
        }
        try work.spend(2 * payload.count * pairs.count)
        let key = try ordinal(of: Array(signature.utf8), payload)
        let xml = Base64.decode(strict: payload.filter { $0 != 0x0A }[...])
        let root = xml.flatMap { BraintreeXML.parse($0) }
        if let time = root.flatMap(BraintreeInterpretation.time) {
            try tolerance.check(time, received: delivery.received)
        }
        return Verified(
            evidence: BraintreeEvidence(root: root, payload: payload, xml: xml ?? payload),
            key: key)
    }

    /// The place of the key whose pair is right, from 1.
    private func ordinal(of signature: [UInt8], _ payload: [UInt8]) throws(Refusal) -> String {
        var isKnown = false
        var isWhole = true
        for part in signature.split(separator: UInt8(ascii: "&"), maxSplits: Self.pairsMax) {
            guard let bar = part.firstIndex(of: UInt8(ascii: "|")) else { continue }
            for (index, pair) in pairs.enumerated() where part[..<bar].elementsEqual(pair.publicKey)
            {
                isKnown = true
                let code = part[(bar + 1)...]
                guard code.count == 2 * HMAC.Algorithm.sha1.byteCount else {
                    isWhole = false
                    continue
                }
                if constantTimeEqual(code, pair.signature(payload))
                    || constantTimeEqual(code, pair.signature(payload, [0x0A]))
                {
                    return String(index + 1)
                }
            }
        }
        guard isKnown else {
            throw .unauthenticated(
                "public_key_unknown", "no pair of `bt_signature` has a public key of this endpoint")
        }
        guard isWhole else {
            throw .unauthenticated("signature_encoding", "the signature is not 40 hex digits")
        }
        throw .signatureMismatch
    }

    private static func isPayload(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "="), 0x0A:
            true
        default: false
        }
    }

    // MARK: Reading and answering

    public var sendsOneEvent: Bool { true }

    public func interpret(_ evidence: BraintreeEvidence) -> Notification {
        guard let root = evidence.root else { return .notUnderstood(signed: evidence.xml) }
        return BraintreeInterpretation(root: root, signed: evidence.xml, currency: currency)
            .notification
    }

    public func answer(_ verdict: Verdict) -> Answer { .byStatus(verdict, accepted: .empty) }
}

/// A signed payload.
public struct BraintreeEvidence: Sendable {
    /// Nil where it is no XML that is known.
    let root: BraintreeXML?
    let payload: [UInt8]
    /// The content of the payload, for the identity of one that cannot be read.
    let xml: [UInt8]
}

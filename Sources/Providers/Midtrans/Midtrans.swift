import Bytes
import Cryptography
import JSON
import Payments

/// Midtrans' HTTP notifications (docs.midtrans.com/docs/https-notification-webhooks); not BI-SNAP.
///
/// - **Verification:** `signature_key` in the body is the lower-case hex of SHA-512, no HMAC, over
///   `order_id`, `status_code`, `gross_amount` and the server key, with nothing between.
/// - **Weak points:** only these three are signed. The same signature holds for a settlement and a
///   cancellation, and, since nothing separates the values, for `X`, `201`, `200100.00` and `X201`,
///   `200`, `100.00`. So a word that `status_code` contradicts is not believed, and with an
///   `inquiry` successes are `unconfirmed` until an answer reports them, as Midtrans advises.
/// - **Answer:** `200` with an empty body; refused `401`, malformed `400`, not stored `503`.
/// - **Retries:** five, after 2, 10, 30, 90 and 210 min.
/// - **Identity:** the transaction, its two status words and `status_code`; a refund by its id.
/// - **Settings:** `secrets`, `merchantID`.
public struct Midtrans: Provider, MeasuredProvider {
    public typealias Evidence = MidtransEvidence

    package let verificationLimits: VerificationLimits
    private let secrets: Secrets<[UInt8]>
    private let merchantID: String?
    private let isAsked: Bool

    /// - Throws: ``SettingsError`` without a server key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        verificationLimits = settings.verificationLimits
        secrets = Secrets(
            values: try settings.requiredSecrets().map { Array($0.trimmingWhiteSpace) })
        merchantID = settings[Self.merchantID]
        isAsked = settings[Self.serverKey] != nil
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<MidtransEvidence> {
        try verifyWithinLimits(delivery)
    }

    package func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<MidtransEvidence> {
        let root = try JSONDocument.parse(delivery.body, work: &work).root
        guard root.kind == .object else {
            throw .malformed("body_not_object", "the body is JSON, but not an object")
        }
        guard let member = root["signature_key"] else {
            throw .unauthenticated("sign_missing", "the body has no `signature_key`")
        }
        guard let sent = member.utf8 else {
            throw .unauthenticated("sign_not_text", "`signature_key` is not a string")
        }
        var signed: [ArraySlice<UInt8>] = []
        for name: StaticString in ["order_id", "status_code", "gross_amount"] {
            guard let value = root[name]?.utf8 else {
                throw .unauthenticated("signed_field_missing", "`\(name)` is absent or not text")
            }
            signed.append(value)
        }
        try work.spend(secrets.values.count * signed.reduce(0) { $0 + $1.count })
        let key = secrets.ordinal { secret in
            constantTimeEqual(sent, Self.signature(of: signed, secret))
        }
        guard let key else { throw .signatureMismatch }
        guard Self.isCode(signed[1]), Self.isAmount(signed[2]) else {
            throw .unauthenticated(
                "signed_value_ambiguous", "status_code or gross_amount has another form")
        }
        if let merchantID, let named = root["merchant_id"],
            named.utf8?.elementsEqual(merchantID.utf8) != true
        {
            throw .unauthenticated(
                "client_id_mismatch", "merchant_id is not that of this endpoint")
        }
        return Verified(evidence: MidtransEvidence(root: root, body: delivery.body), key: key)
    }

    /// The hex digits of the hash.
    static func signature(of values: [ArraySlice<UInt8>], _ secret: [UInt8]) -> [UInt8] {
        Array(Hex.encode(HMAC.Algorithm.sha512.hash(parts: values + [secret[...]])).utf8)
    }

    /// Whether it is a documented code of notifications. Any other could be the end of an order's
    /// reference, or the beginning of a sum.
    private static func isCode(_ text: ArraySlice<UInt8>) -> Bool {
        let codes: [StaticString] = ["200", "201", "202", "407"]
        return codes.contains { text.spells($0) }
    }

    /// Whether it is a sum with two decimals and without leading zeros.
    private static func isAmount(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 4, text[text.endIndex - 3] == UInt8(ascii: "."),
            let first = text.first, first != UInt8(ascii: "0") || text.count == 4
        else { return false }
        return (text.dropLast(3) + text.suffix(2)).allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }

    public func interpret(_ evidence: MidtransEvidence) -> Notification {
        notifications(in: evidence)[0]
    }

    public func notifications(in evidence: MidtransEvidence) -> [Notification] {
        MidtransInterpretation(root: evidence.root, body: evidence.body).notifications.map {
            guard isAsked, $0.reportsSuccess else { return $0 }
            var unconfirmed = $0
            unconfirmed.status = "unconfirmed"
            unconfirmed.flags.append(.unconfirmed)
            return unconfirmed
        }
    }

    public func answer(_ verdict: Verdict) -> Answer { .byStatus(verdict, accepted: .empty) }
}

/// A body of which three values are signed. The others are claims.
public struct MidtransEvidence: Sendable {
    let root: JSONValue
    let body: [UInt8]
}

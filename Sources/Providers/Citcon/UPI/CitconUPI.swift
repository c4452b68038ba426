import Bytes
import Cryptography
import Payments

/// Citcon UPI, Citcon's current gateway.
///
/// - **Verification:** lowercase hex SHA-256, in the body's own `sign`, over the fields that the
///   body's `fields` names (and `fields` itself): sorted `name=value` joined with `&`, then
///   `&secret=` and the merchant's API secret. A number is hashed as it is written. The hash of a
///   `null` is not documented: an empty text and `null` are tried, and both are read as empty, as
///   is the text `"null"`. `id, reference, amount, currency, status, transaction_type` must be
///   among the fields.
/// - **Answer:** `200` `ok`. Citcon documents no required answer; its own demos send this one.
/// - **Retries:** "reliable with build-in retry mechanism"; no schedule is published.
/// - **Identity:** `id`, `transaction_type`, `status`, `amount_captured`, `amount_refunded`; of a
///   refund also its time, the only difference between two equal refunds of one charge.
/// - **Settings:** `secrets`.
public struct CitconUPI: Provider, MeasuredProvider {
    public typealias Evidence = CitconEvidence

    package let verificationLimits: VerificationLimits

    private let secrets: Secrets<[UInt8]>

    /// - Throws: ``SettingsError`` without a usable secret.
    package init(settings: EndpointSettings) throws(SettingsError) {
        secrets = Secrets(values: try settings.requiredSecrets())
        verificationLimits = settings.verificationLimits
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<CitconEvidence> {
        try verifyWithinLimits(delivery)
    }

    package func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<CitconEvidence> {
        let body = try ListedFieldsJSON(parsing: delivery.body, work: &work)
        let sign = try body.requiredText("sign")
        let list = try body.requiredText("fields")
        let fields = try ListedFields(listing: list, in: body, work: &work)
        try fields.require(Self.requiredFields)
        let verified = try fields.verified(by: secrets, work: &work) { text, secret in
            constantTimeEqual(sign, Self.sign(text, secret: secret))
        }
        let unsigned = UnsignedWords(body: body, fields: verified.evidence)
        let evidence = CitconEvidence(
            fields: verified.evidence,
            hasUnsignedClaim: unsigned.contradict(signedType: verified.evidence["transaction_type"])
        )
        return Verified(evidence: evidence, key: verified.key)
    }

    public var sendsOneEvent: Bool { true }

    public func interpret(_ evidence: CitconEvidence) -> Notification {
        CitconUPIInterpretation(
            fields: evidence.fields, hasUnsignedClaim: evidence.hasUnsignedClaim
        ).notification
    }

    public func answer(_ verdict: Verdict) -> Answer {
        .plainText(verdict, accepted: .ok)
    }

    /// Fields that must be signed. Anyone could have written one that is not.
    static let requiredFields: [StaticString] = [
        "id", "reference", "amount", "currency", "status", "transaction_type",
    ]

    /// The value of `sign` for ``ListedFields/signedText``.
    static func sign(_ text: [UInt8], secret: [UInt8]) -> [UInt8] {
        Hex.digits(
            of: SHA256.hash { digest in
                digest.add(text)
                digest.add("secret=")
                digest.add(secret)
            })
    }
}

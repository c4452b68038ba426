import Bytes
import Cryptography
import Payments

/// Citcon Pay, Citcon's earlier gateway.
///
/// - **Verification:** in the body's own `sign`, lowercase hex MD5 over the fields that the body's
///   `fields` names (and `fields` itself): sorted `name=value&`, then `token=` and the merchant's
///   API token. A JSON `null` is tried as an empty text and as `null`. MD5 is Citcon's choice: no
///   practical way is known to find a text for a given digest, but it is the weakest signature
///   here. `id, amount, currency, reference` and `notify_status` or `status` must be among the
///   fields.
/// - **Body:** a form, as in Citcon's demos, or flat JSON, as in a later plugin. The body itself
///   decides; the content type is not read.
/// - **Answer:** `200` `ok` (documented in the demo).
/// - **Retries:** they exist; no schedule is published.
/// - **Identity:** `id`, status, `type`; of a refund also its status, amount and time. Never
///   `reference`, which several transactions may share, nor `notify_id`, because it is not
///   documented that a retry repeats it.
/// - **Settings:** `secrets` (the API token).
public struct CitconPay: Provider, MeasuredProvider {
    public typealias Evidence = CitconEvidence

    package let verificationLimits: VerificationLimits

    private let tokens: Secrets<[UInt8]>

    /// - Throws: ``SettingsError`` without a usable token.
    package init(settings: EndpointSettings) throws(SettingsError) {
        tokens = Secrets(values: try settings.requiredSecrets())
        verificationLimits = settings.verificationLimits
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<CitconEvidence> {
        try verifyWithinLimits(delivery)
    }

    package func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<CitconEvidence> {
        let first = delivery.body.first { !$0.isWhiteSpace }
        return first == UInt8(ascii: "{")
            ? try verify(ListedFieldsJSON(parsing: delivery.body, work: &work), &work)
            : try verify(FormBody(parsing: delivery.body.trimmingWhiteSpace, work: &work), &work)
    }

    public var sendsOneEvent: Bool { true }

    public func interpret(_ evidence: CitconEvidence) -> Notification {
        CitconPayInterpretation(
            fields: evidence.fields, hasUnsignedClaim: evidence.hasUnsignedClaim
        ).notification
    }

    public func answer(_ verdict: Verdict) -> Answer {
        .plainText(verdict, accepted: .ok)
    }

    private func verify(
        _ body: some ListedFieldsBody, _ work: inout VerificationWork
    ) throws(Refusal) -> Verified<CitconEvidence> {
        let sign = try body.requiredText("sign")
        let list = try body.requiredText("fields")
        let fields = try ListedFields(listing: list, in: body, work: &work)
        try fields.require(["id", "amount", "currency", "reference"])
        guard fields["notify_status"] != nil || fields["status"] != nil else {
            throw .unauthenticated(
                "fields_required_missing", "`fields` names neither notify_status nor status")
        }
        let verified = try fields.verified(by: tokens, work: &work) { text, token in
            constantTimeEqual(sign, Self.sign(text, token: token))
        }
        let unsigned = UnsignedWords(body: body, fields: verified.evidence)
        let evidence = CitconEvidence(
            fields: verified.evidence,
            hasUnsignedClaim: unsigned.contradict(signedType: verified.evidence["type"]))
        return Verified(evidence: evidence, key: verified.key)
    }

    /// The value of `sign` for ``ListedFields/signedText``.
    static func sign(_ text: [UInt8], token: [UInt8]) -> [UInt8] {
        Hex.digits(of: MD5.hash(text + Array("token=".utf8) + token))
    }
}

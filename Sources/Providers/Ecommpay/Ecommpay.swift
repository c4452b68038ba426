import Bytes
import Cryptography
import JSON
import Payments

/// ecommpay (callbacks of its Gate and Payment Page).
///
/// - **Verification:** in the body's own `signature`, or `general.signature`: Base64 of HMAC-SHA512
///   over every scalar of the body as `path:value`, sorted and joined with `;` (`EcommpayText`).
///   The official SDKs differ in the order and in how they print numbers, so each variant is tried.
///   Neither `;` nor `:` is escaped, and the same secret signs the parameters of the payment page:
///   `EcommpayAmbiguity` refuses a text that has a second reading.
/// - **Answer:** `200` with an empty body.
/// - **Retries:** 6 at 10 s, then growing to 4 h, at most 120 attempts in 11 days; the order is not
///   guaranteed.
/// - **Identity:** `project_id`, `payment.id`, `operation.id`, `operation.status`,
///   `payment.status`; of a token callback `request.id` and the token's status.
/// - **Payload:** customisable for each merchant, so any field may be missing.
/// - **Chargebacks:** ecommpay sends them without a signature, once, and does not retry. They are
///   refused like any unsigned message, unless the endpoint names the networks that they come from
///   (`unsignedChargebacks`). Then they only put the order into `review`.
/// - **Settings:** `secrets`, `projectID` (optional), `unsignedChargebacks`.
public struct Ecommpay: Provider, MeasuredProvider {
    public typealias Evidence = EcommpayEvidence

    package let verificationLimits: VerificationLimits

    private let secrets: Secrets<HMACKey>
    private let projectID: String?
    private let takesUnsignedChargebacks: Bool

    /// - Throws: ``SettingsError`` without a usable secret, or with a project id that is not a
    ///   number.
    package init(settings: EndpointSettings) throws(SettingsError) {
        projectID = settings[Self.projectID]
        if let projectID, Int64(projectID) == nil {
            throw Self.projectID.error("a project's id is a number, as the dashboard shows it")
        }
        let secrets = try settings.requiredSecrets()
        self.secrets = Secrets(values: secrets.map { HMACKey(.sha512, $0) })
        takesUnsignedChargebacks = !(settings[Self.unsignedChargebacks] ?? []).isEmpty
        verificationLimits = settings.verificationLimits
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<EcommpayEvidence> {
        try verifyWithinLimits(delivery)
    }

    package func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<EcommpayEvidence> {
        try verify(delivery, isAnswer: false, work: &work)
    }

    /// Verifies a callback, or ecommpay's answer to an inquiry. An answer has other members and may
    /// leave out the project.
    func verify(
        _ delivery: SignedRequest, isAnswer: Bool, work: inout VerificationWork
    ) throws(Refusal) -> Verified<EcommpayEvidence> {
        let root = try JSONDocument.parse(delivery.body, work: &work).root
        guard root.kind == .object else {
            throw .malformed("body_not_object", "the body is JSON, but not an object")
        }
        if takesUnsignedChargebacks, delivery.isFromNamedNetwork,
            root["signature"] == nil, root["general"]?["signature"] == nil
        {
            let chargeback = EcommpayChargeback(root: root, body: delivery.body)
            return Verified(evidence: .unsigned(chargeback), key: UnsignedDelivery.key)
        }
        let signature = try Self.signature(root)
        var candidates = EcommpayCandidates(try EcommpayLeaves(of: root, work: &work))
        while let text = try candidates.next(work: &work) {
            try work.spend(text.count * secrets.values.count)
            let key = secrets.ordinal { constantTimeEqual($0.code(text), signature) }
            guard let key else { continue }
            let leaves = candidates.signed
            try check(leaves, isAnswer: isAnswer)
            return Verified(evidence: .signed(leaves), key: key)
        }
        throw .signatureMismatch
    }

    public var sendsOneEvent: Bool { true }
    public var idsAreOfReference: Bool { true }

    public func interpret(_ evidence: EcommpayEvidence) -> Notification {
        switch evidence.content {
        case .signed(let leaves): EcommpayInterpretation(leaves: leaves).notification
        case .unsigned(let chargeback): chargeback.notification
        }
    }

    public func answer(_ verdict: Verdict) -> Answer {
        .plainText(verdict, accepted: .empty)
    }

    private static func signature(_ root: JSONValue) throws(Refusal) -> [UInt8] {
        guard let value = root["signature"] ?? root["general"]?["signature"] else {
            throw .unauthenticated("signature_missing", "neither signature nor general.signature")
        }
        guard let text = value.utf8 else {
            throw .unauthenticated("signature_not_text", "the signature is not a string")
        }
        guard let signature = Base64.decode(strict: text) else {
            throw .unauthenticated("signature_encoding", "the signature is not Base64")
        }
        return signature
    }

    /// Checks the signed fields after the signature was verified.
    private func check(_ leaves: EcommpayLeaves, isAnswer: Bool) throws(Refusal) {
        try leaves.requireUnambiguous(isAnswer: isAnswer)
        guard let projectID else { return }
        let sent = leaves.number("project_id") ?? leaves.number("general:project_id")
        // A body that another program signs with the same secret could leave it out.
        guard sent == projectID || (isAnswer && sent == nil) else {
            throw .unauthenticated(
                "project_id_mismatch", "project_id is not this endpoint's projectID")
        }
    }
}

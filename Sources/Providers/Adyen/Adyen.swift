import Bytes
import Cryptography
import JSON
import Payments

/// Adyen, standard webhooks (docs.adyen.com/development-resources/webhooks).
///
/// - **Verification:** each item carries `additionalData.hmacSignature`, Base64 of HMAC-SHA256 over
///   eight of its fields joined by colons (`AdyenItem`). Nothing is escaped: genuine
///   notifications with colons and backslashes in `merchantReference` prove it (fixtures of
///   Adyen/adyen-python-api-library), although many guides escape both. So colons are refused where
///   no genuine field has one, and the merchant account is pinned.
/// - **Newer types** (platforms, management, tokens) have a header `hmacsignature` over the raw
///   body. They are about no order of a shop, and ignored.
/// - **Not signed:** `live`, `eventDate`, `reason`, `paymentMethod` and all of `additionalData`.
/// - **Answer:** `200` with the body `[accepted]`, which older accounts and plug-ins ask for. A
///   refusal makes the whole queue wait, so what is authentic and not understood is accepted.
/// - **Retries:** 9, 18, 27 s; 2, 5, 10, 15, 30 min; 1, 2, 4, 8 h; then every 8 h, for 30 days. The
///   order is not guaranteed.
/// - **Identity:** merchant account, `pspReference`, `eventCode` and `success`.
/// - **Settings:** `hmacKeys` (64 hex digits each), `merchantAccount`, `capture`, `mode`.
public struct Adyen: Provider, MeasuredProvider {
    /// Mistakes of guides and of programs that follow them.
    enum Mistake { case keyAsText, escaped }

    /// Bytes that HMAC hashes for a key beside the text itself.
    private static let codeBytes = 128

    package let verificationLimits: VerificationLimits
    private let keys: Secrets<HMACKey>
    private let account: String
    private let mistake: Mistake?
    private let capture: EndpointSettings.Capture
    private let mode: EndpointSettings.Mode

    /// - Throws: ``SettingsError`` for a key that is not 64 hex digits, or no merchant account.
    init(settings: EndpointSettings, mistake: Mistake? = nil) throws(SettingsError) {
        var keys: [HMACKey] = []
        for (index, secret) in try settings.requiredSecrets(Self.hmacKeys.row.key).enumerated() {
            let key = try Self.key(secret, setting: "\(Self.hmacKeys.row.key)[\(index)]")
            let text = HMACKey(.sha256, Array(secret.trimmingWhiteSpace))
            keys.append(mistake == .keyAsText ? text : key)
        }
        guard let account = settings[Self.merchantAccount], !account.isEmpty else {
            throw Self.merchantAccount.error("the merchant account is needed")
        }
        self.keys = Secrets(values: keys)
        self.account = account
        self.mistake = mistake
        capture = settings[Self.capture] ?? .automatic
        mode = settings[Self.mode] ?? .live
        verificationLimits = settings.verificationLimits
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<AdyenEvidence> {
        try verifyWithinLimits(delivery)
    }

    package func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<AdyenEvidence> {
        var key = ""
        let header = try delivery.optional("hmacsignature")
        if let header { key = try verify(header, delivery.body[...], &work) }
        let root = try JSONDocument.parse(delivery.body, work: &work).root
        guard header == nil || root["notificationItems"] != nil else {
            return Verified(evidence: AdyenEvidence(root: root, body: delivery.body), key: key)
        }
        let items = try AdyenItem.items(in: root, work: &work)
        for item in items {
            let text = item.signedText(isEscaped: mistake == .escaped)
            key = try verify(item.signature, text[...], &work)
        }
        for item in items { try check(item) }
        let evidence = AdyenEvidence(root: root, body: delivery.body, items: items)
        return Verified(evidence: evidence, key: key)
    }

    public func interpret(_ evidence: AdyenEvidence) -> Notification {
        notifications(in: evidence)[0]
    }

    public func notifications(in evidence: AdyenEvidence) -> [Notification] {
        guard evidence.items.isEmpty else {
            let isLive = evidence.root["live"]?.utf8?.spells("true") ?? false
            return evidence.items.map {
                AdyenInterpretation(item: $0, isLive: isLive, capture: capture, mode: mode)
                    .notification
            }
        }
        return [
            Notification(
                id: EventIdentity.digest(of: evidence.body), kind: "other",
                status: evidence.root["type"]?.word ?? "unknown",
                flags: mode == .test ? [.testMode] : [])
        ]
    }

    public func answer(_ verdict: Verdict) -> Answer {
        .plainText(
            verdict,
            accepted: Answer(
                status: 200, contentType: "text/plain", body: Array("[accepted]".utf8)))
    }

    /// The key that signed `text`.
    private func verify(
        _ signature: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>, _ work: inout VerificationWork
    ) throws(Refusal) -> String {
        guard let code = Base64.decode(strict: signature),
            code.count == HMAC.Algorithm.sha256.byteCount
        else {
            throw .unauthenticated("signature_encoding", "the signature is not 32 bytes in Base64")
        }
        try work.spend((text.count + Self.codeBytes) * keys.values.count)
        let key = keys.ordinal { constantTimeEqual($0.code(parts: [text]), code) }
        guard let key else { throw .signatureMismatch }
        return key
    }

    /// Refuses an item that may have been another one: where a field ends is not signed. Only
    /// `merchantReference`, between fields without a colon, may have some; and the `pspReference`
    /// of a report, which is a file's name and moves no money.
    private func check(_ item: AdyenItem) throws(Refusal) {
        guard item.account.elementsEqual(account.utf8) else {
            throw .unauthenticated(
                "merchant_account_mismatch",
                "the merchantAccountCode is not this endpoint's merchantAccount")
        }
        var fields = [item.original, item.currency, item.event, item.success]
        if !item.event.spells("REPORT_AVAILABLE") { fields.append(item.psp) }
        guard !fields.contains(where: { $0.contains(UInt8(ascii: ":")) }) else {
            throw .unauthenticated(
                "signed_value_ambiguous", "a signed field has a colon, where its text is not unique"
            )
        }
    }

    /// A key of 64 hex digits; white space around them, as a file's last newline, does not count.
    static func key(_ secret: [UInt8], setting: String) throws(SettingsError) -> HMACKey {
        guard let bytes = Hex.decode(secret.trimmingWhiteSpace), bytes.count == 32 else {
            throw SettingsError(
                key: setting,
                message: "the key is not 64 hex digits, as the Customer Area shows it once")
        }
        return HMACKey(.sha256, bytes)
    }
}

/// The verified content: items, each signed, and nothing of `root`; or, without items, all of it.
public struct AdyenEvidence: Sendable {
    let root: JSONValue
    let body: [UInt8]
    var items: [AdyenItem] = []
}

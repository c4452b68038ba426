import Bytes
import Cryptography
import Payments

/// Alipay's notifications by form, of the open platform in China and of the classic global gateway
/// (opendocs.alipay.com, "asynchronous notification"; docs.antom.com/ac/web). Alipay+ is Antom's.
///
/// - **Verification:** RSASSA-PKCS1-v1_5 with SHA-256 over all fields but `sign` and `sign_type`,
///   percent-decoded, sorted by name, `name=value` joined by `&`, in the notification's own
///   charset. Some kinds are signed with `sign_type` in the text, as the Node library verifies
///   them, and some values were decoded once more before: each is tried. SHA-1 and MD5 only where
///   the endpoint permits them.
/// - **Account:** `app_id` and `seller_id` must be the endpoint's own.
/// - **Ambiguity:** the text escapes neither `&` nor `=`; see `AlipayForm.requireUnambiguous`.
/// - **Answer:** `200` and exactly `success`. Refused `401` or `400`, not stored `503`: `fail`.
/// - **Retries:** at once, then after 4, 10, 10 min, 1, 2, 6 and 15 h.
/// - **Identity:** `notify_id`, which a retry repeats.
/// - **Settings:** `alipayPublicKeys`, `appID`, `sellerID`, `product`, `partner`, `signTypes`,
///   `md5Keys`.
public struct Alipay: Provider, MeasuredProvider {
    public typealias Evidence = AlipayEvidence

    package let verificationLimits: VerificationLimits
    private let product: Product
    private let types: [SignatureType]
    private let keys: [RSAPublicKey]
    private let secrets: Secrets<[UInt8]>
    /// The fields that must have a certain value. The optional ones may be absent.
    private let accounts: [(name: StaticString, value: [UInt8], isOptional: Bool)]

    /// - Throws: ``SettingsError`` for a signature without its key, without the app's id on the
    ///   open platform, and for a key of another form.
    package init(settings: EndpointSettings) throws(SettingsError) {
        verificationLimits = settings.verificationLimits
        product = settings[Self.product] ?? .openPlatform
        types = try Self.types(settings)
        keys = try Self.keys(settings, isNeeded: types.contains { $0 != .md5 })
        let setting = Self.md5Keys.row.key
        let texts = types.contains(.md5) ? try settings.requiredSecrets(setting) : []
        secrets = Secrets(values: texts.map { Array($0.trimmingWhiteSpace) })
        var accounts: [(name: StaticString, value: [UInt8], isOptional: Bool)] = []
        if product == .openPlatform {
            guard let appID = settings[Self.appID] else {
                throw Self.appID.error("the app's id is needed, with which Alipay signs for others")
            }
            accounts.append(("app_id", Array(appID.utf8), false))
        }
        if let sellerID = settings[Self.sellerID] {
            accounts.append(("seller_id", Array(sellerID.utf8), false))
        }
        if let partner = settings[Self.partner] {
            accounts.append(("partner", Array(partner.utf8), true))
            accounts.append(("seller_id", Array(partner.utf8), true))
        }
        self.accounts = accounts
    }

    private static func types(
        _ settings: EndpointSettings
    ) throws(SettingsError) -> [SignatureType] {
        guard let words = settings[signTypes] else { return [.rsa2] }
        guard !words.isEmpty else { throw signTypes.error("at least one is needed, such as RSA2") }
        var types: [SignatureType] = []
        for (index, word) in words.enumerated() {
            guard let type = SignatureType(rawValue: word) else {
                throw SettingsError(
                    key: "\(signTypes.row.key)[\(index)]",
                    message: "\(word) is not known; Alipay signs with RSA2, RSA or MD5")
            }
            types.append(type)
        }
        return types
    }

    private static func keys(
        _ settings: EndpointSettings, isNeeded: Bool
    ) throws(SettingsError) -> [RSAPublicKey] {
        let given = settings[publicKeys] ?? []
        guard !given.isEmpty || !isNeeded else {
            throw publicKeys.error("Alipay's public key is needed")
        }
        var keys: [RSAPublicKey] = []
        for (index, setting) in given.enumerated() {
            do throws(KeyError) {
                keys.append(try RSAPublicKey(keyOrCertificate: setting.text))
            } catch {
                throw SettingsError(key: "\(publicKeys.row.key)[\(index)]", message: "\(error)")
            }
        }
        return keys
    }

    // MARK: Verification

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<AlipayEvidence> {
        try verifyWithinLimits(delivery)
    }

    package func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<AlipayEvidence> {
        let form = try AlipayForm(parsing: delivery.body, work: &work)
        let type = try type(of: form)
        guard let sent = form["sign"] else {
            throw .unauthenticated("sign_missing", "the body has no `sign`")
        }
        let (signed, key) =
            type == .md5
            ? try verify(form, md5: sent, work: &work)
            : try verify(form, rsa: sent, type, work: &work)
        try signed.requireUnambiguous()
        for account in accounts {
            let named = signed[account.name]
            guard named == account.value || named == nil && account.isOptional else {
                throw .unauthenticated(
                    "client_id_mismatch", "\(account.name) is not that of this endpoint")
            }
        }
        return Verified(evidence: AlipayEvidence(form: signed, product: product), key: key)
    }

    private func type(of form: AlipayForm) throws(Refusal) -> SignatureType {
        let word = form["sign_type"] ?? []
        guard let type = types.first(where: { word.elementsEqual($0.rawValue.utf8) }) else {
            throw .unauthenticated(
                "signature_algorithm_unknown", "sign_type is none that this endpoint accepts")
        }
        return type
    }

    /// Returns the form as it was signed, and the place of the key in the endpoint's list.
    private func verify(
        _ form: AlipayForm, rsa sent: [UInt8], _ type: SignatureType, work: inout VerificationWork
    ) throws(Refusal) -> (AlipayForm, key: String) {
        guard let signature = Base64.decode(strict: sent[...]) else {
            throw .unauthenticated("signature_encoding", "the signature is not Base64")
        }
        guard keys.contains(where: { $0.modulusBytes == signature.count }) else {
            throw .unauthenticated(
                "signature_length", "the signature does not have the length of a key")
        }
        for read in [form, form.decodedAgain].compactMap(\.self) {
            for withType in [false, true] {
                let text = read.text(withType: withType)
                try work.spend((1 + keys.count) * text.count)
                for (index, key) in keys.enumerated() {
                    let isRight =
                        type == .rsa2
                        ? key.verifySHA256(signature) { $0.add(text) }
                        : key.verifySHA1(signature) { $0.add(text) }
                    if isRight { return (read, String(index + 1)) }
                }
            }
        }
        throw .unauthenticated("signature_mismatch", "no key of this endpoint verifies it")
    }

    private func verify(
        _ form: AlipayForm, md5 sent: [UInt8], work: inout VerificationWork
    ) throws(Refusal) -> (AlipayForm, key: String) {
        let text = form.text(withType: false)
        try work.spend((1 + secrets.values.count) * text.count)
        let key = secrets.ordinal { secret in
            constantTimeEqual(Array(Hex.encode(MD5.hash(text + secret)).utf8), sent)
        }
        guard let key else { throw .signatureMismatch }
        return (form, key)
    }

    // MARK: Reading and answering

    /// The refund, where one is reported: the payment is reported again with it.
    public func interpret(_ evidence: AlipayEvidence) -> Notification {
        let notifications = notifications(in: evidence)
        return notifications[notifications.count - 1]
    }

    public func notifications(in evidence: AlipayEvidence) -> [Notification] {
        AlipayInterpretation(evidence).notifications
    }

    public func answer(_ verdict: Verdict) -> Answer {
        .byStatus(verdict, accepted: Self.word("success", 200)) { Self.word("fail", $0) }
    }

    private static func word(_ word: String, _ status: Int) -> Answer {
        Answer(status: status, contentType: "text/plain", body: Array(word.utf8))
    }
}

/// The signed fields of a genuine notification.
public struct AlipayEvidence: Sendable {
    /// With `sign` and `sign_type`, which are not signed and not read.
    let form: AlipayForm
    let product: Alipay.Product

    /// The text of a field that can be an id or a status; nil for anything else.
    func word(_ name: StaticString) -> String? {
        form[name].flatMap { $0[...].isWord ? String(validating: $0, as: UTF8.self) : nil }
    }
}

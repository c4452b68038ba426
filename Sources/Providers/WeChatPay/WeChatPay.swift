import Bytes
import Cryptography
import JSON
import Payments

/// WeChat Pay, API v3 (pay.weixin.qq.com/doc/v3/merchant/4012791865).
///
/// - **Verification:** RSASSA-PKCS1-v1_5 with SHA-256 over `<Wechatpay-Timestamp>` LF
///   `<Wechatpay-Nonce>` LF `<raw body>` LF; the path is not signed. Then `resource` is opened:
///   AES-256-GCM with the APIv3 key, `nonce` and `associated_data` as text.
/// - **Keys:** `Wechatpay-Serial` names the key: `PUB_KEY_ID_…`, or the serial number of a platform
///   certificate. During a change of mode both arrive. An unknown one is refused, and no other key
///   is tried.
/// - **Probes:** now and then comes a signature that begins with `WECHATPAY/SIGNTEST/` and is wrong
///   on purpose; accepting it is punished.
/// - **Answer:** `204`. Refused or not stored: 4xx or 503 with `{"code":"FAIL",…}`.
/// - **Retries:** after 15 s, 15 s, 30 s, 3, 10, 20, 30, 30, 30, 60 min, 3, 3, 3, 6 and 6 h; each
///   is signed and sealed anew.
/// - **Identity:** the payment or refund and its status; never the envelope's `id`, of which it is
///   not documented that a retry keeps it.
/// - **Settings:** `platformKeys`, `apiV3Keys`, `mchid`, `toleranceSeconds`.
public struct WeChatPay: Provider {
    public typealias Evidence = WeChatPayEvidence

    private let keys: [(serial: String, key: RSAPublicKey)]
    private let sealingKeys: [AES256GCM]
    private let tolerance: TimeTolerance

    /// - Throws: ``SettingsError`` without a key of each kind, for one of another form, and for a
    ///   certificate under another serial number than its own.
    package init(settings: EndpointSettings) throws(SettingsError) {
        keys = try Self.keys(settings)
        let setting = Self.apiV3Keys.row.key
        var sealingKeys: [AES256GCM] = []
        for (index, secret) in try settings.requiredSecrets(setting).enumerated() {
            sealingKeys.append(try Self.sealingKey(secret, setting: "\(setting)[\(index)]"))
        }
        self.sealingKeys = sealingKeys
        tolerance = TimeTolerance(seconds: Int64(settings[Self.tolerance] ?? 300))
    }

    /// An APIv3 key, as it was set in the dashboard: no encoding. White space around it, such as
    /// the last newline of a file, is ignored.
    static func sealingKey(_ secret: [UInt8], setting: String) throws(SettingsError) -> AES256GCM {
        guard let key = try? AES256GCM(key: Array(secret.trimmingWhiteSpace)) else {
            throw SettingsError(
                key: setting, message: "the APIv3 key is not 32 characters long")
        }
        return key
    }

    /// The platform's keys by their serials.
    private static func keys(
        _ settings: EndpointSettings
    ) throws(SettingsError) -> [(serial: String, key: RSAPublicKey)] {
        guard let given = settings[platformKeys], !given.isEmpty else {
            throw platformKeys.error("at least one public key or platform certificate is needed")
        }
        var keys: [(serial: String, key: RSAPublicKey)] = []
        for (index, setting) in given.enumerated() {
            let place = "\(platformKeys.row.key)[\(index)]"
            guard !keys.contains(where: { $0.serial == setting.serial }) else {
                throw SettingsError(
                    key: "\(place).serial", message: "\(setting.serial) is given twice")
            }
            let certificate = Certificate.first(in: setting.text)
            do throws(KeyError) {
                keys.append((setting.serial, try RSAPublicKey(keyOrCertificate: setting.text)))
            } catch {
                throw SettingsError(key: "\(place).publicKey", message: "\(error)")
            }
            if let certificate, !setting.serial.isEmpty,
                setting.serial != certificate.serialNumber
            {
                throw SettingsError(
                    key: "\(place).serial",
                    message: "the certificate's serial number is \(certificate.serialNumber)")
            }
        }
        return keys
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<WeChatPayEvidence> {
        let key = try verifySignature(delivery)
        // What is genuine and in a form that is not known is recorded, since no retry changes it.
        let root = try? JSONDocument(parsing: delivery.body).root
        var evidence = WeChatPayEvidence(root: root, body: delivery.body)
        if let sealed = WeChatPaySealed(root?["resource"]) {
            evidence.plaintext = sealingKeys.lazy.compactMap { sealed.open($0) }.first
            guard evidence.plaintext != nil else {
                throw .unauthenticated(
                    "decryption_failed", "no APIv3 key of this endpoint opens the resource")
            }
        }
        return Verified(evidence: evidence, key: key)
    }

    /// Verifies a notification or an answer, and returns the serial of the key that signed it.
    func verifySignature(_ delivery: SignedRequest) throws(Refusal) -> String {
        let time = try delivery.single("wechatpay-timestamp")
        let nonce = try delivery.single("wechatpay-nonce")
        let serial = try delivery.single("wechatpay-serial")
        let sent = try delivery.single("wechatpay-signature")
        if let type = try delivery.optional("wechatpay-signature-type"),
            !type.spells("WECHATPAY2-SHA256-RSA2048")
        {
            throw .unauthenticated(
                "signature_algorithm_unknown",
                "wechatpay-signature-type is not WECHATPAY2-SHA256-RSA2048")
        }
        guard let (name, key) = keys.first(where: { serial.elementsEqual($0.serial.utf8) }) else {
            throw .unauthenticated(
                "key_unknown", "the endpoint has no platform key with this wechatpay-serial")
        }
        guard let signature = Base64.decode(strict: sent) else {
            throw .unauthenticated("signature_encoding", "the signature is not Base64")
        }
        guard signature.count == key.modulusBytes else {
            throw .unauthenticated(
                "signature_length", "the signature does not have the length of the key")
        }
        let end: [UInt8] = [0x0A]
        let parts = [time, end[...], nonce, end[...], delivery.body[...], end[...]]
        guard key.verifySHA256(message: parts, signature: signature) else {
            throw .unauthenticated("signature_mismatch", "the named key does not verify it")
        }
        guard time.count <= 12, let seconds = Int64(String(decoding: time, as: UTF8.self)),
            seconds >= 0
        else { throw .unauthenticated("timestamp_malformed", "the signed time is not a time") }
        try tolerance.check(
            Timestamp(microseconds: seconds * 1_000_000), received: delivery.received)
        return name
    }

    public func interpret(_ evidence: WeChatPayEvidence) -> Notification {
        notifications(in: evidence)[0]
    }

    public func notifications(in evidence: WeChatPayEvidence) -> [Notification] {
        WeChatPayInterpretation.notifications(evidence)
    }

    public func answer(_ verdict: Verdict) -> Answer {
        .byStatus(verdict, accepted: Answer(status: 204), failure: Self.failure)
    }

    private static func failure(_ status: Int) -> Answer {
        Answer(
            status: status, contentType: "application/json",
            body: Array(#"{"code":"FAIL","message":"失败"}"#.utf8))
    }
}

/// The signed envelope and its content.
public struct WeChatPayEvidence: Sendable {
    /// Nil where the body is no JSON.
    let root: JSONValue?
    let body: [UInt8]
    /// Nil where `resource` is not sealed in the documented form.
    var plaintext: [UInt8]?
}

/// `resource` of an envelope.
struct WeChatPaySealed {
    private let nonce: [UInt8]
    private let additional: [UInt8]
    private let ciphertext: [UInt8]
    private let tag: [UInt8]

    /// Nil where it is in another form than the documented one.
    init?(_ resource: JSONValue?) {
        guard let resource, resource["algorithm"]?.utf8?.spells("AEAD_AES_256_GCM") == true,
            let sealed = resource["ciphertext"]?.utf8.flatMap({ Base64.decode(strict: $0) }),
            sealed.count >= AES256GCM.tagBytes, let nonce = resource["nonce"]?.utf8
        else { return nil }
        self.nonce = Array(nonce)
        additional = Array(resource["associated_data"]?.utf8 ?? [])
        ciphertext = Array(sealed.dropLast(AES256GCM.tagBytes))
        tag = Array(sealed.suffix(AES256GCM.tagBytes))
    }

    func open(_ key: AES256GCM) -> [UInt8]? {
        key.open(ciphertext: ciphertext, iv: nonce, tag: tag, additional: additional)
    }
}

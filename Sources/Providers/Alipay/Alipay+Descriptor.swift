import Bytes
import Cryptography

extension Alipay {
    /// The two families of products, whose words differ.
    public enum Product: String, Sendable, CaseIterable, SettingConvertible {
        /// The open platform in China: `openapi.alipay.com`.
        case openPlatform = "open-platform"
        /// The older global gateway: `create_forex_trade` and its relatives.
        case classicGlobal = "classic-global"
    }

    /// The ways to sign a notification.
    public enum SignatureType: String, Sendable, CaseIterable {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rsa2 = "RSA2"
        /// The same with SHA-1.
        case rsa = "RSA"
        /// MD5 over the text and a shared key.
        case md5 = "MD5"
    }

    static let publicKeys = Setting<[VersionedKey]>(
        "alipayPublicKeys", .publicKeys(.unnamed),
        help:
            "Alipay's public key for your app, not the app's own; or `alipayCertPublicKey_RSA2.crt`"
    )

    static let appID = Setting<String>(
        "appID", .text, help: "the app's id, 16 digits; on the open platform it is needed"
    ) {
        $0.prompt = "App id (appID)"
        $0.sandbox = .fixed("9021000000000001")
        $0.summary = { if case .text(let id) = $0 { "app \(id)" } else { nil } }
        $0.sandboxTrace = { value in
            guard value == "9021000000000001" else { return nil }
            return SandboxTrace(
                problem: "the app's id is the sandbox's", remedy: "write your own app's id")
        }
    }

    static let sellerID = Setting<String>(
        "sellerID", .text,
        help: "your account, `2088…`; a notification for another one is refused")

    static let partner = Setting<String>(
        "partner", .text, help: "your account at the classic global gateway, `2088…`")

    static let product = Setting<Product>(
        choice: "product", help: "`open-platform` (default) or `classic-global`")

    static let signTypes = Setting<[String]>(
        "signTypes", .texts,
        help: "the signatures that are accepted: `RSA2` (default), `RSA` (SHA-1, weak), "
            + "`MD5` (weak; classic-global)"
    ) {
        $0.summary = {
            if case .texts(let types) = $0 { types.joined(separator: ", ") } else { nil }
        }
    }

    static let md5Keys = Setting<[[UInt8]]>(
        "md5Keys", .secrets(.text), help: "the keys for `MD5`")

    /// The merchant's own private key, which signs inquiries.
    static let privateKey = Setting<String>(
        "privateKey", .secret, side: .inquiry, help: "the private key of your app"
    ) {
        $0.isRequired = true
        $0.sandbox = .generated { () throws(KeyError) in .text(try RSAPrivateKey.generate().pem) }
    }
}

extension ProviderDescriptor {
    static let alipay = ProviderDescriptor(
        name: "alipay", title: "Alipay",
        settings: [
            Alipay.publicKeys.row, Alipay.appID.row, Alipay.sellerID.row, Alipay.product.row,
            Alipay.partner.row, Alipay.signTypes.row, Alipay.md5Keys.row, Alipay.privateKey.row,
            SettingRow.senderKey.row,
        ],
        marks: Marks(fields: [["notify_id", "trade_no", "sign_type"]]),
        urlPlace: "`notify_url` of each payment",
        make: Alipay.init, makeSender: AlipaySender.init,
        inquiry: InquiryDescriptor(
            defaultURL: { _ in "https://openapi.alipay.com" }, make: AlipayInquirer.init,
            makeResponder: AlipayResponder.init))
}

import Bytes
import Cryptography

extension WeChatPay {
    static let platformKeys = Setting<[VersionedKey]>(
        "platformKeys", .publicKeys(.serial),
        help: "WeChat Pay's public key under its id, `PUB_KEY_ID_…`, or a platform certificate "
            + "under its serial number; any number of both"
    ) { $0.isRequired = true }

    static let apiV3Keys = Setting<[[UInt8]]>(
        "apiV3Keys", .secrets(.characters(32)),
        help: "the APIv3 keys, 32 characters each; any that opens what was sealed is accepted"
    ) {
        $0.isRequired = true
        $0.prompt = "the APIv3 key"
    }

    static let tolerance = SettingRow.toleranceSeconds(
        help: "how far the signed time may be from ours; 300 by default, as retries are signed anew"
    )

    static let merchantID = Setting<String>(
        "mchid", .text, help: "the merchant number, 10 digits, which questions name"
    ) {
        $0.sandbox = .fixed("1900000109")
        $0.summary = { if case .text(let id) = $0 { "merchant \(id)" } else { nil } }
    }

    /// The merchant's own private key, which signs inquiries.
    static let privateKey = Setting<String>(
        "privateKey", .secret, side: .inquiry,
        help: "the private key of the merchant's API certificate, `apiclient_key.pem`"
    ) {
        $0.isRequired = true
        $0.sandbox = .generated { () throws(KeyError) in .text(try RSAPrivateKey.generate().pem) }
    }

    static let serialNumber = Setting<String>(
        "serialNumber", .text, side: .inquiry,
        help: "the serial number of the merchant's API certificate"
    ) {
        $0.isRequired = true
        $0.sandbox = .fixed("5157F09EFDC096DE15EBE81A47057A7200000000")
    }
}

extension ProviderDescriptor {
    static let wechatPay = ProviderDescriptor(
        name: "wechatpay", title: "WeChat Pay",
        settings: [
            WeChatPay.platformKeys.row, WeChatPay.apiV3Keys.row, WeChatPay.merchantID.row,
            WeChatPay.tolerance.row, WeChatPay.privateKey.row, WeChatPay.serialNumber.row,
            SettingRow.senderKey.row,
        ],
        marks: Marks(headers: [["wechatpay-signature"], ["wechatpay-serial"]]),
        urlPlace: "`notify_url` of each payment and refund; https, without a query",
        make: WeChatPay.init, makeSender: WeChatPaySender.init,
        inquiry: InquiryDescriptor(
            defaultURL: { _ in "https://api.mch.weixin.qq.com" }, make: WeChatPayInquirer.init,
            makeResponder: WeChatPayResponder.init))
}

extension Adyen {
    static let hmacKeys = Setting<[[UInt8]]>(
        "hmacKeys", .secrets(.hex(bytes: 32)),
        help: "the webhook's HMAC keys, 64 hex digits each; any that verifies is accepted"
    ) { $0.isRequired = true }

    static let merchantAccount = Setting<String>(
        "merchantAccount", .text, help: "the merchant account that notifications must be for"
    ) {
        $0.isRequired = true
        $0.prompt = "Merchant account"
        $0.sandbox = .fixed("SandboxShopECOM")
        $0.summary = { if case .text(let id) = $0 { "merchant account \(id)" } else { nil } }
        $0.account = AccountHint(
            code: "merchant_account", sentence: "it is for another merchant account",
            pointer: "/notificationItems/0/NotificationRequestItem/merchantAccountCode")
    }

    static let capture = Setting<EndpointSettings.Capture>(
        choice: "capture",
        help: "`automatic` (default): an authorisation is money taken; `manual`: a capture takes it"
    ) {
        $0.summary = { $0 == "manual" ? "manual capture: a capture takes the money" : nil }
    }

    static let mode = SettingRow.mode()
}

extension ProviderDescriptor {
    static let adyen = ProviderDescriptor(
        name: "adyen", title: "Adyen",
        settings: [
            Adyen.hmacKeys.row, Adyen.merchantAccount.row, Adyen.capture.row, Adyen.mode.row,
        ],
        marks: Marks(headers: [["hmacsignature"]], fields: [["notificationItems"]]),
        urlPlace: "the URL of a standard webhook (Customer Area > Developers > Webhooks)",
        make: Adyen.init, makeSender: AdyenSender.init)
}

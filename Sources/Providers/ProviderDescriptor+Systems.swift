extension ProviderDescriptor {
    static let antom = ProviderDescriptor(
        name: "antom", title: "Antom", credential: .rsaKeyPair,
        settingsKeys: ["clientID", "keys", "capture"],
        make: Antom.init, makeSender: AntomSender.init)

    static let citconUPI = ProviderDescriptor(
        name: "citcon-upi", title: "Citcon UPI", credential: .secret, settingsKeys: ["secrets"],
        make: CitconUPI.init, makeSender: CitconUPISender.init)

    static let citconPay = ProviderDescriptor(
        name: "citcon-pay", title: "Citcon Pay", credential: .secret, settingsKeys: ["secrets"],
        make: CitconPay.init, makeSender: CitconPaySender.init)

    static let ecommpay = ProviderDescriptor(
        name: "ecommpay", title: "ecommpay", credential: .secret,
        settingsKeys: ["secrets", "projectID", "unsignedChargebacks"],
        make: Ecommpay.init, makeSender: EcommpaySender.init)

    static let openPaymentPlatform = ProviderDescriptor(
        name: "opp", title: "Open Payment Platform", credential: .hexSecret(bytes: 32),
        settingsKeys: ["secrets", "mode"],
        make: OpenPaymentPlatform.init, makeSender: OpenPaymentPlatformSender.init)

    static let standardWebhooks = ProviderDescriptor(
        name: "standard-webhooks", title: "Standard Webhooks", credential: .standardWebhooksSecret,
        settingsKeys: ["secrets", "toleranceSeconds", "fields"],
        make: { (settings) throws(SettingsError) in try StandardWebhooks(settings: settings) },
        makeSender: StandardWebhooksSender.init)

    static let hmac = ProviderDescriptor(
        name: "hmac", title: "HMAC webhook", credential: .secret,
        settingsKeys: ["secrets", "hmac", "fields", "toleranceSeconds"],
        make: { (settings) throws(SettingsError) in try HMACWebhook(settings: settings) },
        makeSender: HMACWebhookSender.init)
}

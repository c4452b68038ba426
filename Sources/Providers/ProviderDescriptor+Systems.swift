extension ProviderDescriptor {
    static let antom = ProviderDescriptor(
        name: "antom", title: "Antom", credential: .rsaKeyPair,
        settingsKeys: ["clientID", "keys", "capture"],
        // A proxy that loses the path may lose the client id, too.
        marks: Marks(headers: [["client-id", "signature"], ["request-time", "signature"]]),
        make: Antom.init, makeSender: AntomSender.init)

    static let citconUPI = ProviderDescriptor(
        name: "citcon-upi", title: "Citcon UPI", credential: .secret, settingsKeys: ["secrets"],
        marks: Marks(fields: [["fields", "sign"]]),
        make: CitconUPI.init, makeSender: CitconUPISender.init)

    static let citconPay = ProviderDescriptor(
        name: "citcon-pay", title: "Citcon Pay", credential: .secret, settingsKeys: ["secrets"],
        marks: Marks(fields: [["fields", "sign"]]),
        make: CitconPay.init, makeSender: CitconPaySender.init)

    static let ecommpay = ProviderDescriptor(
        name: "ecommpay", title: "ecommpay", credential: .secret,
        settingsKeys: ["secrets", "projectID", "unsignedChargebacks"],
        // The signature stands at the top or in `general`.
        marks: Marks(fields: [
            ["payment", "signature"], ["operation", "signature"], ["payment", "general"],
            ["operation", "general"],
        ]),
        make: Ecommpay.init, makeSender: EcommpaySender.init)

    static let openPaymentPlatform = ProviderDescriptor(
        name: "opp", title: "Open Payment Platform", credential: .hexSecret(bytes: 32),
        settingsKeys: ["secrets", "mode"],
        marks: Marks(
            headers: [["x-initialization-vector"], ["x-authentication-tag"]],
            fields: [["encryptedBody"]]),
        make: OpenPaymentPlatform.init, makeSender: OpenPaymentPlatformSender.init)

    static let standardWebhooks = ProviderDescriptor(
        name: "standard-webhooks", title: "Standard Webhooks", credential: .standardWebhooksSecret,
        settingsKeys: ["secrets", "toleranceSeconds", "fields"],
        marks: Marks(headers: [["webhook-signature"], ["webhook-id", "webhook-timestamp"]]),
        make: { (settings) throws(SettingsError) in try StandardWebhooks(settings: settings) },
        makeSender: StandardWebhooksSender.init)

    static let hmac = ProviderDescriptor(
        name: "hmac", title: "HMAC webhook", credential: .secret,
        settingsKeys: ["secrets", "hmac", "fields", "toleranceSeconds"],
        // The header of the signature is the endpoint's own: `marks(_:)` adds it.
        marks: Marks(),
        make: { (settings) throws(SettingsError) in try HMACWebhook(settings: settings) },
        makeSender: HMACWebhookSender.init)
}

import Cryptography

extension PayPal {
    static let webhookIDs = Setting<[String]>(
        "webhookIDs", .texts,
        help: "the ids of the webhook, each 17 letters and digits; any is "
            + "accepted. `WEBHOOK_ID` takes the simulator's events, as tests"
    ) {
        $0.isRequired = true
        $0.prompt = "Webhook id"
        $0.sandbox = .fixed(.texts(["0SANDBOX000000000"]))
        var simulator = AccountHint(
            code: "webhook_simulator", sentence: "PayPal's webhooks simulator sent it")
        simulator.candidates = [.texts([simulatorID])]
        simulator.remedy =
            "Nothing is wrong. To take its events, as tests, add \(simulatorID) to `webhookIDs`."
        $0.account = simulator
    }

    static let mode = SettingRow.mode()

    static let certificateHosts = Setting<[String]>(
        "certificateHosts", .texts,
        help: "the hosts that certificates are fetched from; by default "
            + "`api.paypal.com` and `api-m.paypal.com`, or those of `sandbox.paypal.com`")

    static let certificateName = Setting<String>(
        "certificateName", .text,
        help: "the certificates' only name; by default "
            + "`messageverificationcerts.paypal.com`, or the one of `sandbox.paypal.com`")

    static let tolerance = SettingRow.toleranceSeconds(
        help: "how old a transmission may be; four days by default, as PayPal retries for three")

    static let reference = Setting<[String]>(
        "reference", .texts,
        help: "where your order reference stands: the first of `custom_id` and "
            + "`invoice_id` (default) that is there")

    static let caFile = Setting<String>(
        "caFile", .certificates,
        help: "PEM file of the authorities to trust in place of the "
            + "system's; with PayPal's own certificates in it, none is fetched")

    static let clientID = Setting<String>(
        "clientID", .text, side: .inquiry, help: "the client id of your REST app"
    ) { $0.isRequired = true }

    static let clientSecret = Setting<String>(
        "clientSecret", .secret, side: .inquiry, help: "the app's secret"
    ) { $0.isRequired = true }

    static func hosts(_ mode: EndpointSettings.Mode) -> [String] {
        ["api", "api-m"].map { "\($0).\(mode == .live ? "" : "sandbox.")paypal.com" }
    }

    static func certificateName(_ mode: EndpointSettings.Mode) -> String {
        "messageverificationcerts.\(mode == .live ? "" : "sandbox.")paypal.com"
    }
}

extension ProviderDescriptor {
    static let paypal = ProviderDescriptor(
        name: "paypal", title: "PayPal",
        sandboxCertificateName: PayPal.certificateName(.test),
        settings: [
            PayPal.webhookIDs.row, PayPal.mode.row, PayPal.certificateHosts.row,
            PayPal.certificateName.row, PayPal.tolerance.row, PayPal.reference.row,
            PayPal.caFile.row, PayPal.clientID.row, PayPal.clientSecret.row,
            SettingRow.senderKey.row,
        ],
        marks: Marks(headers: [["paypal-transmission-id"], ["paypal-cert-url"]]),
        urlPlace: "the webhook URL of your app, under Apps & Credentials > Webhooks",
        make: PayPal.init, makeSender: PayPalSender.init,
        inquiry: InquiryDescriptor(
            defaultURL: { "https://\(PayPal.hosts($0[PayPal.mode] ?? .live)[1])" },
            knowsReferences: false, confirms: true, pauseSeconds: 1, make: PayPalInquirer.init,
            makeLister: PayPalLister.init, makeResponder: PayPalResponder.init))
}

import Cryptography

extension HMACWebhook {
    package static let scheme = Setting<HMACScheme>(
        "hmac", .signatureScheme, help: "the signature's header, algorithm, encoding and content"
    ) {
        $0.isRequired = true
        $0.sandbox = .fixed(.scheme(HMACScheme(header: "x-signature")))
        $0.summary = { if case .scheme(let scheme) = $0 { scheme.summary } else { nil } }
    }

    static let toleranceSeconds = SettingRow.toleranceSeconds(
        help: "how far a signed time may be from ours, in seconds; not checked by default")
}

extension ProviderDescriptor {
    static let hmac: ProviderDescriptor = {
        var descriptor = ProviderDescriptor(
            name: "hmac", title: "HMAC webhook",
            settings: [
                SettingRow.secrets.row, HMACWebhook.scheme.row,
                HMACWebhook.toleranceSeconds.row, SettingRow.fields.row,
            ],
            marks: Marks(),
            urlPlace: "the webhook URL in the sender's dashboard",
            make: { (settings) throws(SettingsError) in try HMACWebhook(settings: settings) },
            makeSender: HMACWebhookSender.init)
        // The header of the signature is the endpoint's own.
        descriptor.ownMarks = { settings in
            Marks(headers: settings[HMACWebhook.scheme]?.header.map { [[$0]] } ?? [])
        }
        return descriptor
    }()
}

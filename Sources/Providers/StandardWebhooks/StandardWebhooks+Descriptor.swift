import Cryptography

extension StandardWebhooks {
    /// Shared secrets, and public keys of senders that sign with Ed25519.
    static let toleranceSeconds = SettingRow.toleranceSeconds(
        help: "how far the signed time may be from ours, in seconds; 300 by default")

    /// The private key of a sender that signs with Ed25519.
    static let signingKey = Setting<String>(
        "signingKey", .senderKey(fileExtension: "key"), side: .sender,
        help: "the sender's private key, `whsk_…`"
    ) {
        // A public key verifies and cannot sign.
        $0.isNeeded = {
            $0.secrets.first?.starts(with: StandardWebhooksKey.publicPrefix.utf8) == true
        }
    }
}

extension ProviderDescriptor {
    static let standardWebhooks: ProviderDescriptor = {
        var descriptor = ProviderDescriptor(
            name: "standard-webhooks", title: "Standard Webhooks",
            settings: [
                SettingRow.secrets(
                    .standardWebhooks,
                    help: "shared secrets (`whsec_…`) and public keys (`whpk_…`) of the sender"
                ).row,
                StandardWebhooks.toleranceSeconds.row, SettingRow.fields.row,
                StandardWebhooks.signingKey.row,
            ],
            // `webhook-signature` alone is GoCardless's, too.
            marks: Marks(headers: [
                ["webhook-id", "webhook-signature"], ["webhook-id", "webhook-timestamp"],
                ["svix-signature"], ["svix-id", "svix-timestamp"],
            ]),
            urlPlace: "the endpoint URL in the sender's dashboard",
            make: { (settings) throws(SettingsError) in try StandardWebhooks(settings: settings) },
            makeSender: StandardWebhooksSender.init)
        descriptor.examples = [
            SandboxExample(
                name: "standard-webhooks-v1a",
                make: { () throws(KeyError) in
                    let pair = try StandardWebhooksKey.freshPair()
                    return (pair.publicText, pair.privateText)
                },
                file: "keys/standard-webhooks-v1a.pub",
                lines: [
                    "secrets: [{file: keys/standard-webhooks-v1a.pub}]   "
                        + "# the sender's public key, whpk_…",
                    "fields:",
                ] + (SettingRow.fields.row.sandbox?.lines ?? []).map { "  \($0)" })
        ]
        return descriptor
    }()
}

import Bytes
import Cryptography

extension Mollie {
    /// Mollie's two kinds of webhooks.
    package enum Kind: String, Sendable, CaseIterable, SettingConvertible {
        /// Events with a signature, set up in the dashboard.
        case signed
        /// The `webhookUrl` of a payment: unsigned, and with nothing but its id.
        case classic
    }

    static let kind = Setting<Kind>(
        choice: "kind",
        help: "`signed` (default): events of a webhook in the dashboard; `classic`: a payment's "
            + "own `webhookUrl`, which needs `apiKey`")

    static let secrets = Setting<[[UInt8]]>(
        "webhookSecrets", .secrets(.text),
        help: "the webhook's secrets; any that verifies is accepted. `classic` needs none"
    ) { $0.isRequired = true }

    static let mode = SettingRow.mode()

    static let reference = Setting<String>(
        "reference", .text,
        help: "JSON pointer to your order reference in a payment; `/metadata/order_id` by "
            + "default, otherwise `/metadata` or `/description`"
    ) { $0.sandbox = .fixed("/metadata/order_id") }

    static let apiKey = Setting<String>(
        "apiKey", .secret,
        help: "the API key, `live_…` or `test_…`, with which payments are fetched"
    )
}

extension ProviderDescriptor {
    static let mollie: ProviderDescriptor = {
        var descriptor = ProviderDescriptor(
            name: "mollie", title: "Mollie",
            settings: [
                Mollie.secrets.row, Mollie.kind.row, Mollie.mode.row, Mollie.reference.row,
                Mollie.apiKey.row,
            ],
            marks: Marks(headers: [["x-mollie-signature"]]),
            urlPlace: "the URL of a webhook under Developers > Webhooks, or `webhookUrl` of each "
                + "payment",
            make: Mollie.init, makeSender: MollieSender.init,
            inquiry: InquiryDescriptor(
                defaultURL: { _ in "https://api.mollie.com" }, knowsReferences: false,
                make: MollieInquirer.init, makeLister: MollieLister.init,
                makeResponder: MollieResponder.init))
        descriptor.asksByItself = { $0[Mollie.kind] == .classic || $0[Mollie.apiKey] != nil }
        return descriptor
    }()
}

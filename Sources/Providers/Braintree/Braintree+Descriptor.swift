extension Braintree {
    static let keys = Setting<[[UInt8]]>(
        "keys", .secrets(.keyPair),
        help: "the API keys, `{publicKey, privateKey}` each; any that signed is accepted"
    ) { $0.isRequired = true }

    static let currency = Setting<String>(
        "currency", .text,
        help: "the currency of your merchant account, which some kinds do not name"
    ) {
        $0.sandbox = .fixed("EUR")
        $0.prompt = "Currency of your merchant account (ISO 4217)"
        $0.summary = { if case .text(let code) = $0 { "sums in \(code)" } else { nil } }
    }

    static let merchantID = Setting<String>(
        "merchantID", .text, side: .inquiry, help: "your merchant id, as in the Control Panel"
    ) {
        $0.isRequired = true
        $0.sandbox = .fixed("sandboxmerchant0")
    }

    static let mode = SettingRow.mode {
        $0.help = "`live` (default) or `test`; Braintree marks nothing but its URL check as a test"
        $0.sandbox = nil
        $0.sandboxTrace = { _ in nil }
    }

    static let tolerance = SettingRow.toleranceSeconds(
        help: "how old a notification may be; two days by default, as Braintree retries for one")
}

extension ProviderDescriptor {
    static let braintree = ProviderDescriptor(
        name: "braintree", title: "Braintree",
        settings: [
            Braintree.keys.row, Braintree.currency.row, Braintree.mode.row,
            Braintree.tolerance.row, Braintree.merchantID.row,
        ],
        marks: Marks(fields: [["bt_signature", "bt_payload"]]),
        urlPlace: "the destination of gear > API > Webhooks > Create New Webhook",
        make: Braintree.init, makeSender: BraintreeSender.init,
        inquiry: InquiryDescriptor(
            defaultURL: { settings in
                settings[Braintree.mode] == .test
                    ? "https://api.sandbox.braintreegateway.com"
                    : "https://api.braintreegateway.com"
            },
            make: BraintreeInquirer.init, makeResponder: BraintreeResponder.init))
}

import Bytes
import Cryptography

extension Midtrans {
    static let merchantID = Setting<String>(
        "merchantID", .text, help: "your merchant id, `G…`; a notification for another is refused"
    ) {
        $0.summary = { if case .text(let id) = $0 { "merchant \(id)" } else { nil } }
    }

    /// The key with which questions are asked.
    static let serverKey = Setting<String>(
        "serverKey", .secret, side: .inquiry, help: "the server key, as in `secrets`"
    ) {
        $0.isRequired = true
        $0.sandbox = .generated { () throws(KeyError) in
            .text("SB-Mid-server-\(Hex.encode(secureRandomBytes(12)))")
        }
    }

    /// The prefix of the keys of the test environment.
    static let testPrefix = "SB-"
}

extension ProviderDescriptor {
    static let midtrans = ProviderDescriptor(
        name: "midtrans", title: "Midtrans",
        settings: [
            SettingRow.secrets(
                .text, help: "the server keys, `Mid-server-…`; any that verifies is accepted"
            ).row,
            Midtrans.merchantID.row, Midtrans.serverKey.row,
        ],
        marks: Marks(fields: [["signature_key", "transaction_status", "order_id"]]),
        urlPlace: "the notification URL under Settings > Payment > Notification URL",
        make: Midtrans.init, makeSender: MidtransSender.init,
        inquiry: InquiryDescriptor(
            defaultURL: { settings in
                let isTest = settings[Midtrans.serverKey]?.hasPrefix(Midtrans.testPrefix) == true
                return isTest ? "https://api.sandbox.midtrans.com" : "https://api.midtrans.com"
            },
            prefersTransaction: true, confirms: true, make: MidtransInquirer.init,
            makeResponder: MidtransResponder.init))
}

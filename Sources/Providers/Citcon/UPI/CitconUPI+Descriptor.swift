import Bytes
import Cryptography

extension CitconUPI {
    static let privateKey = Setting<String>(
        "privateKey", .secret, side: .inquiry, help: "the merchant's API key, `sk-…`"
    ) {
        $0.isRequired = true
        $0.sandbox = .generated { () throws(KeyError) in
            .text("sk-" + Hex.encode(secureRandomBytes(16)))
        }
    }
}

extension ProviderDescriptor {
    static let citconUPI = ProviderDescriptor(
        name: "citcon-upi", title: "Citcon UPI", sandboxName: "citcon",
        settings: [SettingRow.secrets.row, CitconUPI.privateKey.row],
        marks: Marks(fields: [["fields", "sign"]]),
        urlPlace: "the IPN URL of each payment request",
        make: CitconUPI.init, makeSender: CitconUPISender.init,
        inquiry: InquiryDescriptor(
            defaultURL: { _ in "https://api.citconpay.com" },
            // No page documents how a question by reference is written.
            prefersTransaction: true, make: CitconUPIInquirer.init,
            makeResponder: CitconUPIResponder.init))
}

extension CitconPay {
    static let vendor = Setting<String>(
        "vendor", .text, side: .inquiry,
        help: "the wallet that is sent with a question by reference")
}

extension ProviderDescriptor {
    static let citconPay: ProviderDescriptor = {
        var descriptor = ProviderDescriptor(
            name: "citcon-pay", title: "Citcon Pay",
            settings: [SettingRow.secrets.row, CitconPay.vendor.row],
            marks: Marks(fields: [["fields", "sign"]]),
            urlPlace: "the IPN URL of each payment request",
            make: CitconPay.init, makeSender: CitconPaySender.init,
            inquiry: InquiryDescriptor(
                defaultURL: { _ in "https://citconpay.com" },
                // It is not documented which of several payments under one reference is answered.
                prefersTransaction: true, make: CitconPayInquirer.init,
                makeResponder: CitconPayResponder.init))
        descriptor.warnings = [
            ProviderWarning(
                problem:
                    "citcon-pay signs with MD5, which is weak; the provider offers nothing else "
                    + "here",
                remedy:
                    "use citcon-upi where Citcon offers it, and limit the senders with `allow`")
        ]
        return descriptor
    }()
}

import Cryptography

extension Antom {
    static let clientID = Setting<String>(
        "clientID", .text, help: "the client id under which Antom knows the merchant"
    ) {
        $0.isRequired = true
        $0.prompt = "Client id"
        $0.sandbox = .fixed("SANDBOX_1")
        $0.summary = { if case .text(let id) = $0 { "client id \(id)" } else { nil } }
        $0.sandboxTrace = { value in
            guard case .text(let id) = value, id.hasPrefix("SANDBOX_") else { return nil }
            return SandboxTrace(
                problem: "Antom's sandbox uses this client id",
                remedy: "write the client id of the live account")
        }
        $0.account = AccountHint(
            code: "client_id", sentence: "it is for another client id", header: "client-id")
    }

    static let capture = Setting<EndpointSettings.Capture>(
        choice: "capture",
        help: "`automatic` (default): a successful payment is money taken; `manual`: it is an "
            + "authorisation"
    ) {
        $0.summary = {
            $0 == "manual"
                ? "manual capture: a successful payment is an authorisation" : nil
        }
    }

    /// The merchant's own private key, which signs inquiries.
    static let privateKey = Setting<String>(
        "privateKey", .secret, side: .inquiry,
        help: "the merchant's own private key, PEM or bare Base64 of DER"
    ) {
        $0.isRequired = true
        $0.sandbox = .generated { () throws(KeyError) in .text(try RSAPrivateKey.generate().pem) }
    }

    static let keyVersion = Setting<Int>(
        "keyVersion", .integer(0...1_000_000), side: .inquiry,
        help: "the version under which Antom knows the merchant's public key; 1 by default")
}

extension ProviderDescriptor {
    static let antom = ProviderDescriptor(
        name: "antom", title: "Antom",
        settings: [
            Antom.clientID.row, SettingRow.keys.row, Antom.capture.row, Antom.privateKey.row,
            Antom.keyVersion.row, SettingRow.senderKey.row,
        ],
        // A proxy that drops the path may drop the client id too.
        marks: Marks(headers: [["client-id", "signature"], ["request-time", "signature"]]),
        urlPlace: "the notification URL in the dashboard, or `paymentNotifyUrl` of each payment",
        make: Antom.init, makeSender: AntomSender.init,
        inquiry: InquiryDescriptor(
            defaultURL: { _ in "https://open-sea-global.alipay.com" }, make: AntomInquirer.init,
            makeResponder: AntomResponder.init))
}

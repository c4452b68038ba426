import Payments

/// What an endpoint's `inquiry` says, with every reference to a file or variable already resolved.
///
/// One type for all systems. ``InquiryDescriptor/settingsKeys`` names those that a system reads.
package struct InquirySettings: Sendable {
    /// The endpoint: its client id, keys, secrets, project and mode count for inquiries, too.
    package var endpoint: EndpointSettings

    /// Antom: the merchant's own private key, PEM or bare Base64 of DER. Citcon UPI: `sk-…`.
    package var privateKey: String?

    /// Antom: the version under which the merchant's public key is known there.
    package var keyVersion: Int

    /// Open Payment Platform: the access token, verbatim.
    package var token: String?

    /// Open Payment Platform: the merchant's entities. Each is asked.
    package var entityIDs: [String]

    /// Open Payment Platform: which transaction report is asked by reference.
    package var report: Report

    /// Citcon Pay: the wallet that is sent along with a question by reference.
    package var vendor: String?

    package enum Report: String, Sendable, CaseIterable {
        case v1, v3
    }

    package init(
        endpoint: EndpointSettings, privateKey: String? = nil, keyVersion: Int = 1,
        token: String? = nil, entityIDs: [String] = [], report: Report = .v1, vendor: String? = nil
    ) {
        self.endpoint = endpoint
        self.privateKey = privateKey
        self.keyVersion = keyVersion
        self.token = token
        self.entityIDs = entityIDs
        self.report = report
        self.vendor = vendor
    }

    /// A credential that a header can carry.
    ///
    /// - Throws: ``SettingsError`` where it is missing, or holds what a header cannot.
    func headerText(_ key: String, _ text: String?) throws(SettingsError) -> String {
        let trimmed = String(decoding: Array((text ?? "").utf8).trimmingWhiteSpace, as: UTF8.self)
        guard !trimmed.isEmpty else {
            throw SettingsError(key: key, message: "it is needed to ask this provider")
        }
        guard trimmed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw SettingsError(key: key, message: "it holds characters that no header can carry")
        }
        return trimmed
    }
}

/// How a system is asked; systems without one cannot be.
package struct InquiryDescriptor: Sendable {
    /// The settings that the system reads in `inquiry`, as the configuration spells them, beside
    /// those that all have.
    package let settingsKeys: Set<String>

    /// The origin that is asked where the configuration names none.
    package let defaultURL: @Sendable (EndpointSettings) -> String

    /// Whether it is surer of its own ids than of the merchant's reference.
    package var prefersTransaction = false

    /// Seconds between two questions about one payment, where the configuration says nothing else.
    package var pauseSeconds = 5.0

    /// - Throws: ``SettingsError`` for settings that it cannot work with; its keys are those of
    ///   `inquiry`.
    package let make: @Sendable (InquirySettings) throws(SettingsError) -> any Inquirer

    /// The provider's side, played, with the keys of both sides.
    ///
    /// - Throws: ``SettingsError`` where one is missing.
    package let makeResponder:
        @Sendable (SenderSettings, InquirySettings) throws(SettingsError) -> any Responder
}

extension InquiryDescriptor {
    static let antom = InquiryDescriptor(
        settingsKeys: ["privateKey", "keyVersion"],
        defaultURL: { _ in "https://open-sea-global.alipay.com" }, make: AntomInquirer.init,
        makeResponder: AntomResponder.init)

    static let citconUPI = InquiryDescriptor(
        settingsKeys: ["privateKey"], defaultURL: { _ in "https://api.citconpay.com" },
        // No page confirms the form of a question by reference.
        prefersTransaction: true, make: CitconUPIInquirer.init,
        makeResponder: CitconUPIResponder.init)

    static let citconPay = InquiryDescriptor(
        settingsKeys: ["vendor"], defaultURL: { _ in "https://citconpay.com" },
        // Which of several payments under one reference is answered is not documented.
        prefersTransaction: true, make: CitconPayInquirer.init,
        makeResponder: CitconPayResponder.init)

    static let ecommpay = InquiryDescriptor(
        settingsKeys: [], defaultURL: { _ in "https://api.ecommpay.com" },
        pauseSeconds: 10, make: EcommpayInquirer.init,
        makeResponder: EcommpayResponder.init)

    static let openPaymentPlatform = InquiryDescriptor(
        settingsKeys: ["token", "entityIDs", "report"],
        defaultURL: {
            $0.mode == .test ? "https://eu-test.oppwa.com" : "https://eu-prod.oppwa.com"
        },
        // Two a minute for one id or reference, which the merchant's own programs share.
        pauseSeconds: 35, make: OPPInquirer.init, makeResponder: OPPResponder.init)
}

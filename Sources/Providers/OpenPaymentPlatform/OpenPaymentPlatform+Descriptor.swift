import Bytes
import Cryptography

extension OpenPaymentPlatform {
    /// The version of the transaction report that an inquiry by reference uses.
    package enum Report: String, Sendable, CaseIterable, SettingConvertible {
        case v1, v3
    }

    static let mode = SettingRow.mode()

    static let token = Setting<String>(
        "token", .secret, side: .inquiry, help: "the access token, verbatim"
    ) {
        $0.isRequired = true
        $0.sandbox = .generated { () throws(KeyError) in
            .text(Base64.encode(secureRandomBytes(24)))
        }
    }

    static let entityIDs = Setting<[String]>(
        "entityIDs", .texts, side: .inquiry, help: "the merchant's entities; each is asked"
    ) {
        $0.isRequired = true
        $0.sandbox = .generated { () throws(KeyError) in
            .texts([Hex.encode(secureRandomBytes(16))])
        }
    }

    static let report = Setting<Report>(
        choice: "report", side: .inquiry,
        help: "the transaction report that is asked by reference, `v1` (default) or `v3`")
}

extension ProviderDescriptor {
    static let openPaymentPlatform = ProviderDescriptor(
        name: "opp", title: "Open Payment Platform",
        settings: [
            SettingRow.secrets(
                .hex(bytes: 32),
                help: "the webhook keys, 64 hex digits each; any that opens the "
                    + "body is accepted"
            ).row,
            OpenPaymentPlatform.mode.row, OpenPaymentPlatform.token.row,
            OpenPaymentPlatform.entityIDs.row, OpenPaymentPlatform.report.row,
        ],
        marks: Marks(
            headers: [["x-initialization-vector"], ["x-authentication-tag"]],
            fields: [["encryptedBody"]]),
        urlPlace: "the webhook URL in the portal",
        make: OpenPaymentPlatform.init, makeSender: OpenPaymentPlatformSender.init,
        inquiry: InquiryDescriptor(
            defaultURL: {
                $0[OpenPaymentPlatform.mode] == .test
                    ? "https://eu-test.oppwa.com" : "https://eu-prod.oppwa.com"
            },
            // Two questions per minute about one id or reference, a limit shared with the
            // merchant's own programs.
            pauseSeconds: 35, make: OPPInquirer.init, makeResponder: OPPResponder.init))
}

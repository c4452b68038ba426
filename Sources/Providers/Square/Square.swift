import Bytes
import Cryptography
import JSON

/// The part of Square that its recipe does not describe: questions about payments and refunds, and
/// the list of events.
enum Square {
    static let accessToken = Setting<String>(
        "accessToken", .secret, side: .inquiry,
        help: "an access token of the application that may read payments; with `mode: test` that "
            + "of its sandbox"
    ) {
        $0.isRequired = true
        $0.prompt = "Access token (Developer Console > the application > Credentials)"
        $0.sandbox = .generated { () throws(KeyError) in
            .text("EAAA\(Hex.encode(secureRandomBytes(16)))")
        }
    }

    private static let mode = SettingRow.mode()

    static let part = WrittenPart(settings: [accessToken.row]) { recipe in
        InquiryDescriptor(
            defaultURL: { settings in
                "https://connect.squareup\(settings[mode] == .test ? "sandbox" : "").com"
            },
            knowsReferences: false,
            make: { (settings) throws(SettingsError) in
                try SquareInquirer(recipe, settings: settings)
            },
            makeLister: { (settings) throws(SettingsError) in
                try SquareLister(recipe, settings: settings)
            },
            makeResponder: { (settings) throws(SettingsError) in
                try SquareResponder(settings: settings)
            })
    }

    /// A request in the application's own version of the interface, which is that of its events.
    static func request(
        _ method: String, _ target: String, token: String, body: [UInt8] = []
    ) -> InquiryRequest {
        var headers = [
            Header("authorization", "Bearer \(token)"), Header("accept", "application/json"),
        ]
        if !body.isEmpty { headers.append(Header("content-type", "application/json")) }
        return InquiryRequest(method: method, target: target, headers: headers, body: body)
    }

    /// Whether it can be an id in a path.
    static func isID(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & ~0x20)
                    || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
    }
}

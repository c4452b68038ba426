import Bytes
import Cryptography
import JSON

/// The part of GoCardless that its recipe does not describe: questions, whose answers have the sums
/// that no event names, by the rules of the recipe.
enum GoCardless {
    static let accessToken = Setting<String>(
        "accessToken", .secret, side: .inquiry,
        help: "a read-only access token, `live_…` or `sandbox_…`"
    ) {
        $0.isRequired = true
        $0.prompt = "Access token (Developers > Access tokens, read-only)"
        $0.sandbox = .generated { () throws(KeyError) in
            .text("sandbox_\(Hex.encode(secureRandomBytes(16)))")
        }
    }

    static let part = WrittenPart(settings: [accessToken.row]) { recipe in
        InquiryDescriptor(
            defaultURL: { settings in
                let isSandbox = settings[accessToken]?.hasPrefix("sandbox_") ?? false
                return "https://api\(isSandbox ? "-sandbox" : "").gocardless.com"
            },
            knowsReferences: false, namesSums: true,
            make: { (settings) throws(SettingsError) in
                try GoCardlessInquirer(recipe, settings: settings)
            },
            makeLister: { (settings) throws(SettingsError) in
                try GoCardlessLister(recipe, settings: settings)
            },
            makeResponder: { (settings) throws(SettingsError) in
                try GoCardlessResponder(settings: settings)
            })
    }

    /// The headers of a request: the token, and the only version of the interface.
    static func headers(_ token: String) -> [Header] {
        [
            Header("authorization", "Bearer \(token)"), Header("accept", "application/json"),
            Header("gocardless-version", "2015-07-06"),
        ]
    }

    /// Whether it can be an id in a path.
    static func isID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & ~0x20)
            }
    }

    /// A body with one event, as a webhook has it.
    static func body(of event: ArraySlice<UInt8>) -> [UInt8] {
        var json = JSONWriter(reserving: event.count + 16)
        json.object { json in
            json.key("events")
            json.beginArray()
            json.raw(event)
            json.endArray()
        }
        return json.bytes
    }
}

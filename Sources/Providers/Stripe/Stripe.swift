import Bytes
import Cryptography
import JSON

/// The part of Stripe that its recipe does not describe: questions, by the rules of the recipe.
enum Stripe {
    static let apiKey = Setting<String>(
        "apiKey", .secret, side: .inquiry,
        help: "a restricted key, `rk_live_…`, that may read PaymentIntents, refunds, disputes and "
            + "events"
    ) {
        $0.isRequired = true
        $0.sandbox = .generated { () throws(KeyError) in
            .text("rk_sandbox_\(Hex.encode(secureRandomBytes(12)))")
        }
    }

    static let part: WrittenPart = {
        var part = WrittenPart(settings: [apiKey.row]) { recipe in
            InquiryDescriptor(
                defaultURL: { _ in "https://api.stripe.com" },
                make: { (settings) throws(SettingsError) in
                    try StripeInquirer(recipe, settings: settings)
                },
                makeLister: { (settings) throws(SettingsError) in
                    try StripeLister(recipe, settings: settings)
                },
                makeResponder: { (settings) throws(SettingsError) in
                    try StripeResponder(settings: settings)
                })
        }
        part.question = { $0[apiKey] == nil ? nil : question(about:) }
        return part
    }()

    /// The question whose answer is what a thin event (`v2.core.event`) reports: about the object
    /// that it names. Nil for other events, and for objects that are no part of a payment.
    static func question(about body: [UInt8]) -> InquiryQuestion? {
        guard body.firstRange(of: Array("v2.core.event".utf8)) != nil,
            let root = try? JSONDocument(parsing: body, limits: .unauthenticated).root,
            root["object"]?.word == "v2.core.event",
            let id = root["related_object"]?["id"]?.word,
            ["pi", "re", "pyr", "du", "dp", "ch", "py"].contains(id.prefix { $0 != "_" })
        else { return nil }
        return InquiryQuestion(by: .transaction, id)
    }

    /// The body of an event.
    ///
    /// - Parameter object: JSON.
    static func event(
        _ id: String, _ type: String, created: Int64, isLive: Bool, object: ArraySlice<UInt8>
    ) -> [UInt8] {
        var json = JSONWriter(reserving: object.count + 256)
        json.object { json in
            json.member("id", id)
            json.member("object", "event")
            json.member("type", type)
            json.member("created", created)
            json.member("livemode", isLive)
            json.object("data") { json in
                json.key("object")
                json.raw(object)
            }
        }
        return json.bytes
    }
}

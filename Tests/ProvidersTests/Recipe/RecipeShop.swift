import Bytes
import Cryptography
import Payments

@testable import Providers

/// Small recipes, and what they make of requests.
enum RecipeShop {
    static let secret = "key-1"

    static let fields: FieldMapping = {
        var fields = FieldMapping(
            identity: ["/id"], reference: "/order", transaction: "/payment", action: "/action",
            status: "/type", amount: "/amount", currency: "/currency",
            statuses: ["paid": .paid, "failed": .failed, "refunded": .refunded])
        fields.scope = .account
        return fields
    }()

    /// The fields with changes.
    static func fields(_ change: (inout FieldMapping) -> Void) -> FieldMapping {
        var fields = fields
        change(&fields)
        return fields
    }

    static func recipe(
        _ fields: FieldMapping = fields, scheme: HMACScheme = HMACScheme(header: "x-sign"),
        _ change: (inout Recipe) -> Void = { _ in }
    ) -> Recipe {
        var recipe = Recipe(
            name: "shop", title: "Shop", urlPlace: "the URL",
            settings: [RecipeSetting("secrets", .secrets, help: "the secrets")],
            proof: .signature(scheme), fields: fields)
        change(&recipe)
        return recipe
    }

    static func settings(
        _ others: [String: SettingValue?] = [:], secrets: String = "secrets",
        _ texts: [String] = [secret]
    ) -> EndpointSettings {
        var settings = EndpointSettings(name: "shop", others)
        settings[secrets] = .secrets(texts.map { Array($0.utf8) })
        return settings
    }

    /// All events that a body is read as.
    static func read(
        _ body: String, _ fields: FieldMapping = fields, form: Recipe.BodyForm = .json,
        settings: [String: SettingValue?] = [:], headers: [String?] = []
    ) -> [Notification] {
        MappedInterpretation(
            fields, body: form, settings: EndpointSettings(name: "shop", settings)
        ).notifications(Array(body.utf8), headerValues: headers)
    }

    static func hex(_ message: String, _ algorithm: HMAC.Algorithm = .sha256) -> String {
        Hex.encode(HMAC.code(algorithm, key: Array(secret.utf8), message: Array(message.utf8)))
    }

    /// A refusal's reason; nil where the request is accepted.
    static func reason(
        _ recipe: Recipe, _ delivery: SignedRequest, _ settings: EndpointSettings = settings()
    ) throws -> String? {
        try RecipeProvider(recipe, settings: settings).refusal(delivery)?.reason
    }

    /// The key of a scheme's mistake.
    static func mistake(_ scheme: HMACScheme) -> String? {
        do throws(SettingsError) { try scheme.check() } catch { return error.key }
        return nil
    }
}

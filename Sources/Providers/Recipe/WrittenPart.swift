/// The part of a provider with a recipe that is written in Swift.
struct WrittenPart: Sendable {
    /// Settings that only this part needs.
    let settings: [SettingRow]
    let inquiry: @Sendable (Recipe) -> InquiryDescriptor

    /// The question that a verified body asks for; see ``Provider/question(about:)``. Nil at an
    /// endpoint without the settings of ``inquiry``.
    var question: @Sendable (EndpointSettings) -> (@Sendable ([UInt8]) -> InquiryQuestion?)? = {
        _ in nil
    }

    /// By the name of the recipe.
    static let all: [String: WrittenPart] = [
        "gocardless": GoCardless.part, "square": Square.part, "stripe": Stripe.part,
    ]
}

extension ProviderRegistry {
    /// A provider whose list of events can be read, for examples.
    package static let listing = "stripe"
}

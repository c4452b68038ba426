/// The constants of generated bodies, so that they look like the provider's.
package struct RecipeSamples: Sendable, Equatable, Codable {
    /// Constants of every body, by JSON pointer into the whole body; inside `each`, into the
    /// element.
    package var all: [String: SampleValue] = [:]

    /// Further constants of one type of event.
    package var types: [EventType: [String: SampleValue]] = [:]

    /// The beginnings of the provider's ids: of a `transaction`, `action`, `identity`, `alias`.
    package var idPrefixes: [String: String] = [:]

    /// Headers of every request, by name in lower case.
    package var headers: [String: String] = [:]

    package init() {}
}

/// A JSON value of a recipe.
package indirect enum SampleValue: Sendable, Equatable, Codable {
    case text(String)
    /// A number by its digits.
    case number(String)
    case bool(Bool)
    case null
    case list([SampleValue])
    case object([String: SampleValue])
}

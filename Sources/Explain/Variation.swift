import Bytes
import Providers

/// One change of a request or of the settings that verify it.
package struct Variation: Sendable {
    package var delivery: SignedRequest
    package var settings: EndpointSettings
    /// Another provider than the endpoint's; nil for the endpoint's.
    package var system: ProviderDescriptor?
    /// The change, in words; never a secret.
    package var detail: String

    init(
        _ detail: String, _ delivery: SignedRequest, _ settings: EndpointSettings,
        system: ProviderDescriptor? = nil
    ) {
        self.detail = detail
        self.delivery = delivery
        self.settings = settings
        self.system = system
    }
}

extension Suspect {
    /// A copy with another body.
    func withBody(_ detail: String, _ body: [UInt8]) -> Variation {
        var delivery = delivery
        delivery.body = body
        return Variation(detail, delivery, settings)
    }

    /// A copy with another path and the same query.
    func withPath(_ detail: String, _ path: some Sequence<UInt8>) -> Variation {
        var delivery = delivery
        delivery.path = Array(path)[...]
        return Variation(detail, delivery, settings)
    }

    /// A copy with other headers.
    func withHeaders(_ detail: String, _ headers: [Header]) -> Variation {
        var delivery = delivery
        delivery.headers = headers
        return Variation(detail, delivery, settings)
    }

    /// Copies with one header's value changed by `change`; none for a header with the result nil.
    func withEachHeader(
        _ detail: String, _ change: (ArraySlice<UInt8>) -> [UInt8]?
    ) -> [Variation] {
        let headers = delivery.headers
        return headers.indices.compactMap { index in
            guard let value = change(headers[index].value) else { return nil }
            var changed = headers
            changed[index] = Header(name: headers[index].name, value: value[...])
            let name = String(decoding: headers[index].name, as: UTF8.self)
            return withHeaders("\(detail) (\(name))", changed)
        }
    }

    /// The unchanged request, verified with other settings.
    func withSettings(
        _ detail: String, _ change: (inout EndpointSettings) -> Void
    ) -> Variation {
        var settings = settings
        change(&settings)
        return Variation(detail, delivery, settings)
    }
}

/// One cause that occurs in practice, and the variations that confirm it.
package struct Hypothesis: Sendable {
    /// In snake_case.
    package let code: String
    /// The cause, as a clause.
    package let sentence: String
    package let remedy: String
    let vary: @Sendable (Suspect) -> AnySequence<Variation>

    init(
        _ code: String, _ sentence: String, remedy: String,
        _ vary: @escaping @Sendable (Suspect) -> [Variation]
    ) {
        self.init(code, sentence, remedy: remedy, each: { AnySequence(vary($0)) })
    }

    /// A hypothesis with many or large variations, which `each` creates one at a time.
    init(
        _ code: String, _ sentence: String, remedy: String,
        each: @escaping @Sendable (Suspect) -> AnySequence<Variation>
    ) {
        self.code = code
        self.sentence = sentence
        self.remedy = remedy
        vary = each
    }

    /// The table in the order of trial: frequent causes that are easy to fix first.
    package static let all: [Hypothesis] =
        time + keys + secrets + mistakes + paths + headers + bodies + schemes
}

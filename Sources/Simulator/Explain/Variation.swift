import Bytes
import Providers

/// One way in which a request, or what it is verified with, might have been different.
package struct Variation: Sendable {
    package var delivery: Delivery
    package var settings: EndpointSettings
    /// Another system than the endpoint's; nil for the endpoint's own.
    package var system: ProviderDescriptor?
    /// What was changed, for people; never a secret.
    package var detail: String

    init(
        _ detail: String, _ delivery: Delivery, _ settings: EndpointSettings,
        system: ProviderDescriptor? = nil
    ) {
        self.detail = detail
        self.delivery = delivery
        self.settings = settings
        self.system = system
    }
}

extension Suspect {
    /// The same request with another body.
    func withBody(_ detail: String, _ body: [UInt8]) -> Variation {
        var delivery = delivery
        delivery.body = body
        return Variation(detail, delivery, settings)
    }

    /// The same request to another path; the query stays.
    func withPath(_ detail: String, _ path: some Sequence<UInt8>) -> Variation {
        var delivery = delivery
        delivery.path = Array(path)[...]
        return Variation(detail, delivery, settings)
    }

    /// The same request with other headers.
    func withHeaders(_ detail: String, _ headers: [Header]) -> Variation {
        var delivery = delivery
        delivery.headers = headers
        return Variation(detail, delivery, settings)
    }

    /// Each header's value changed by `change`, one at a time; a nil leaves the header out of it.
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

    /// The request as it is, verified with other settings.
    func withSettings(
        _ detail: String, _ change: (inout EndpointSettings) -> Void
    ) -> Variation {
        var settings = settings
        change(&settings)
        return Variation(detail, delivery, settings)
    }
}

/// One thing that goes wrong in practice, and how to find out whether it did.
package struct Hypothesis: Sendable {
    /// In snake_case.
    package let code: String
    /// What went wrong, in a clause.
    package let sentence: String
    package let remedy: String
    let vary: @Sendable (Suspect) -> AnySequence<Variation>

    init(
        _ code: String, _ sentence: String, remedy: String,
        _ vary: @escaping @Sendable (Suspect) -> [Variation]
    ) {
        self.init(code, sentence, remedy: remedy, each: { AnySequence(vary($0)) })
    }

    /// One whose variations are many or large: `each` makes one when it is tried, and none is held.
    init(
        _ code: String, _ sentence: String, remedy: String,
        each: @escaping @Sendable (Suspect) -> AnySequence<Variation>
    ) {
        self.code = code
        self.sentence = sentence
        self.remedy = remedy
        vary = each
    }

    /// The table, in the order in which it is tried: what is frequent and cheap to fix first.
    package static let all: [Hypothesis] =
        time + keys + secrets + paths + headers + bodies + schemes
}

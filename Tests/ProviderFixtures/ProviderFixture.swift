import Payments
import Providers

/// The data with which the tests check one provider. Each provider has a folder here, as in
/// `Sources/Providers`, and a line in ``all``; every suite that checks all providers iterates over
/// that list.
package struct ProviderFixture: Sendable, CustomStringConvertible {
    package let descriptor: ProviderDescriptor

    /// An endpoint with the usual settings.
    package let endpoint: Endpoint

    /// Further endpoints with other settings, each under its own name.
    package var variants: [Endpoint] = []

    /// Requests that the provider's marks identify. Empty where only an endpoint's own settings
    /// give marks.
    package var marked: [MarkedRequest] = []

    /// Kinds of events whose notifications do not name the order.
    package var kindsWithoutReference: Set<String> = []

    /// Answers and whether the provider takes them as received.
    package var answers: [JudgedAnswer] = []

    /// Whether these pauses between attempts are the published ones.
    package var isPublishedSchedule: @Sendable ([Duration]) -> Bool = { $0.isEmpty }

    /// Whether refusing a body takes as much work as the endpoint's limit allows, because several
    /// texts may have been signed.
    package var triesManyTexts = false

    /// Signed requests made by others, with the changes that must be refused.
    package var vectors: VectorList?

    /// Reads an authentic body of any bytes, once for each way in which an endpoint may read it.
    /// Empty where the form of the body is part of the signature.
    package var readings: @Sendable (_ body: [UInt8]) -> [Notification] = { _ in [] }

    /// Scenarios of `ipnd send` that the provider has no notifications for. Tests expect that it
    /// can send all others.
    package var impossibleScenarios: Set<String> = []

    /// Options with which `ipnd add` asks for nothing but the credential.
    package var addOptions: [String] = []

    /// Nil where the provider cannot be asked about a payment.
    package var inquiry: Inquiry?

    /// Reports lives of payments; nil where another provider's teller covers this one.
    package var teller: (any Teller.Type)?

    /// How many of the eight blocks of lives the model of the truth plays: fewer where the order's
    /// rules are the subject no longer, but one provider's reading.
    package var truthBlocks: UInt64 = 8

    /// Whether each event has an identity that does not depend on its amount.
    package var hasEventIdentities = true

    /// Whether the signature covers what identifies an event.
    package var signsIdentity = true

    /// Whether what was read of a changed request says no more than the genuine one: unsigned parts
    /// may differ that are for people or make an event count for less.
    package var isNoMore: @Sendable (_ read: Notification, _ genuine: Notification) -> Bool = {
        $0 == $1
    }

    package var name: String { descriptor.name }
    package var description: String { name }

    package init(
        _ descriptor: ProviderDescriptor, _ settings: EndpointSettings, _ foreign: EndpointSettings
    ) {
        self.descriptor = descriptor
        endpoint = Endpoint(name: descriptor.name, settings: settings, foreign: foreign)
    }

    /// The fixture of the provider with this name in the configuration.
    package static func named(_ name: String) -> ProviderFixture? { all.first { $0.name == name } }
}

extension ProviderFixture {
    /// One endpoint's settings, with the keys of the provider's side and those of its inquiry.
    package struct Endpoint: Sendable {
        package let name: String
        package let settings: EndpointSettings

        /// The same with the keys of another account.
        package let foreign: EndpointSettings

        package init(name: String, settings: EndpointSettings, foreign: EndpointSettings) {
            self.name = name
            self.settings = settings
            self.foreign = foreign
        }
    }

    /// A request at a wrong path, and the providers whose notification it may be.
    package struct MarkedRequest: Sendable {
        package let headers: [String]
        package let body: String
        package let providers: [String]

        package init(headers: [String] = [], body: String = "", _ providers: String...) {
            self.headers = headers
            self.body = body
            self.providers = providers
        }
    }

    /// An answer to a notification, and whether the provider accepts it.
    package struct JudgedAnswer: Sendable {
        package let status: Int
        package let body: String
        package let isAccepted: Bool

        package init(_ status: Int, _ body: String, isAccepted: Bool) {
            self.status = status
            self.body = body
            self.isAccepted = isAccepted
        }
    }
}

extension ProviderFixture {
    /// The fixtures that have a teller.
    package static let withTellers = (all + [.xendit, .midtrans]).filter { $0.teller != nil }
}

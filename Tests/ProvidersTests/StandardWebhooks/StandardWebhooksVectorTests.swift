import JSON
import Payments
import Testing

@testable import Providers

/// `standard-webhooks.json`: signatures of the reference library, and of two implementations of
/// Ed25519 for the version that it lacks.
@Suite struct StandardWebhooksVectorTests {
    let file: JSONValue

    init() throws { file = try VectorFile.load("standard-webhooks") }

    private func refusal(_ vector: JSONValue) throws -> Refusal? {
        let secret = try #require(vector["secret"]?.string)
        return try StandardWebhooksTests.provider(secrets: [secret])
            .refusal(vector.delivery())
    }

    @Test func `every vector verifies`() throws {
        let vectors = Array(try #require(file["vectors"]).elements)
        #expect(vectors.count > 10)
        for vector in vectors { #expect(try refusal(vector) == nil, "\(vector.name)") }
    }

    @Test func `every negative is refused`() throws {
        let vectors = Array(try #require(file["negative"]).elements)
        #expect(vectors.count > 15)
        for vector in vectors {
            #expect(try refusal(vector)?.kind == .unauthenticated, "\(vector.name)")
        }
    }

    /// A whsk_ key, alone or with its public half, gives valid signatures.
    @Test(arguments: ["private_seed", "private_pair"])
    func `the private key signs for the public one`(_ form: String) throws {
        let keys = try #require(file["keys"])
        let sender = try StandardWebhooksSender(
            settings: EndpointSettings(
                name: "sender",
                ["secrets": .secrets([Array(try #require(keys[form]?.string).utf8)])]))
        let event = SampleEvent.sample(.paid)
        let provider = try StandardWebhooksTests.provider(
            secrets: [try #require(keys["public"]?.string)])
        let outbound = try sender.sign(event, path: "/")
        #expect(outbound.delivery.value("webhook-signature")?.hasPrefix("v1a,") == true)
        #expect(provider.refusal(outbound.delivery) == nil)
    }

    @Test func `a public key cannot sign`() throws {
        let key = try #require(file["keys"]?["public"]?.string)
        #expect(throws: SettingsError.self) {
            try StandardWebhooksSender(
                settings: EndpointSettings(name: "sender", ["secrets": .secrets([Array(key.utf8)])])
            )
        }
    }

    /// The work before the sender is authenticated is bounded.
    @Test func `more asymmetric signatures than a rotation has are refused`() throws {
        let vector = try #require(
            file["vectors"]?.elements.first { $0.name == "v1a-second-of-two" })
        let provider = try StandardWebhooksTests.provider(
            secrets: [try #require(vector["secret"]?.string)])
        var delivery = try vector.delivery()
        let two = try #require(delivery.value("webhook-signature"))
        #expect(provider.refusal(delivery) == nil)
        delivery = delivery.with(header: "webhook-signature", "\(two) v1a,AAAA")
        #expect(provider.refusal(delivery)?.reason == "signature_too_many")
        delivery = delivery.with(header: "webhook-signature", "v1,AAAA")
        #expect(provider.refusal(delivery)?.reason == "signature_version_unknown")
    }

    /// An endpoint may have both: the secret of the old sender and the key of the new one.
    @Test func `the key that verified is named`() throws {
        let vector = try #require(file["vectors"]?.elements.first { $0.name == "v1a" })
        let provider = try StandardWebhooksTests.provider(
            secrets: [StandardWebhooksTests.secret, try #require(vector["secret"]?.string)])
        #expect(try provider.verify(vector.delivery()).key == "2")
        #expect(try provider.verify(StandardWebhooksTests.example).key == "1")
    }
}

extension JSONValue {
    /// A vector's `id`.
    var name: String { self["id"]?.string ?? "" }

    /// The request of a vector with `headers` and `body`, as it came at `now`.
    func delivery() throws -> SignedRequest {
        SignedRequest(
            path: self["path"]?.string ?? "/ipn",
            headers: try #require(self["headers"]).members.map { ($0.key, $0.value.string ?? "") },
            body: try #require(self["body"]?.string),
            received: try #require(self["now"]?.int64))
    }
}

import Cryptography
import JSON
import Payments
import Testing

@testable import Providers

/// `hmac.json`: signatures of Stripe's, Slack's and Paddle's own libraries, under the schemes that
/// a configuration would have for them.
@Suite struct HMACVectorTests {
    let file: JSONValue

    init() throws { file = try VectorFile.load("hmac") }

    private func provider(_ vector: JSONValue) throws -> HMACWebhook {
        let name = try #require(vector["scheme"]?.string)
        let scheme = try #require(file["schemes"]?[name])
        return try HMACWebhook(
            settings: EndpointSettings(
                name: name,
                [
                    "secrets": .secrets([Array(try #require(vector["secret"]?.string).utf8)]),
                    "toleranceSeconds": scheme["toleranceSeconds"]?.int64.map { .integer(Int($0)) },
                    "hmac": .scheme(try Self.scheme(scheme)),
                    "fields": .fields(HMACWebhookTests.mapping),
                ]))
    }

    private static func scheme(_ json: JSONValue) throws -> HMACScheme {
        func place(_ name: String) -> SignedTemplate.Place? {
            if let header = json["\(name)Header"]?.string { return .header(header) }
            return json["\(name)Parameter"]?.string.map { .parameter($0) }
        }
        let separator = json["separator"]?.string.flatMap { HMACScheme.Separator(rawValue: $0) }
        var layout = HMACScheme.Layout.single
        if let separator { layout = .list(separator: separator) }
        if let name = json["signatureParameter"]?.string {
            layout = .parameters(separator: separator ?? .comma, signature: name)
        }
        let signs = try #require(json["signs"]?.string)
        let parts = try #require(SignedTemplate.parts(of: signs))
        return HMACScheme(
            header: try #require(json["header"]?.string),
            algorithm: json["algorithm"]?.string.flatMap { .init(rawValue: $0) } ?? .sha256,
            encoding: json["encoding"]?.string.flatMap { .init(rawValue: $0) } ?? .hex,
            prefix: json["prefix"]?.string ?? "", layout: layout,
            content: SignedTemplate(
                parts: parts, timestamp: place("timestamp"), id: place("id")))
    }

    @Test func everyVectorVerifies() throws {
        let vectors = Array(try #require(file["vectors"]).elements)
        #expect(vectors.count >= 10)
        for vector in vectors {
            #expect(try provider(vector).refusal(vector.delivery()) == nil, "\(vector.name)")
        }
    }

    @Test func everyNegativeIsRefused() throws {
        let vectors = Array(try #require(file["negative"]).elements)
        #expect(vectors.count >= 20)
        for vector in vectors {
            #expect(try provider(vector).refusal(vector.delivery()) != nil, "\(vector.name)")
        }
    }
}

import JSON
import Payments

@testable import Providers

/// The field mapping of the endpoints whose senders the configuration describes.
package enum MappedFixture {
    package static let mapping = FieldMapping(
        identity: ["/id"], reference: "/data/order/id", transaction: "/data/charge",
        action: "/data/refund", status: "/type", amount: "/data/amount", amountForm: .minor,
        currency: .pointer("/data/currency"), occurred: "/at",
        statuses: Dictionary(
            uniqueKeysWithValues: EventType.allCases.map { ("x.\($0.rawValue)", $0) }))

    /// Amounts with decimals, at the top of the body.
    static let decimals = FieldMapping(
        identity: ["/id"], reference: "/reference", transaction: "/payment/id", action: "/action",
        status: "/status", amount: "/amount", amountForm: .decimal, currency: .pointer("/currency"),
        occurred: "/time",
        statuses: ["success": .paid, "refund": .refunded, "dispute": .disputed])
}

extension ProviderFixture {
    package static let hmac: ProviderFixture = {
        let plain = HMACScheme(header: "x-signature", prefix: "sha256=")
        var fixture = ProviderFixture(
            .hmac, settings("first", plain), settings("second", plain))
        fixture.addOptions = [
            "--header", "x-signature", "--status-word", "a=b=paid", "--status-word", "no=failed",
        ]
        fixture.variants = [
            Endpoint(
                name: "composite",
                settings: settings("first", composite, toleranceSeconds: 1_000_000_000),
                foreign: settings("second", composite, toleranceSeconds: 1_000_000_000))
        ]
        fixture.vectors = .file("hmac", read: vectors)
        fixture.readings = { body in
            [MappedFixture.mapping, MappedFixture.decimals].map {
                MappedInterpretation.notification(body, mapping: $0)
            }
        }
        fixture.teller = MappedTeller.self
        // Without an id in the body, an event is identified by its content.
        fixture.hasEventIdentities = false
        return fixture
    }()

    /// `t=…,v1=…`, and a template with everything that can be signed.
    private static let composite: HMACScheme = {
        let template = "{method} {path}\n{id}/{timestamp}\n{body}"
        guard let parts = SignedTemplate.parts(of: template) else {
            fatalError("the template is valid")
        }
        return HMACScheme(
            header: "x-signature", algorithm: .sha512, encoding: .base64,
            layout: .parameters(separator: .comma, signature: "v1"),
            content: SignedTemplate(
                parts: parts, timestamp: .parameter("t"), id: .header("x-id")))
    }()

    /// Signatures of Stripe's, Slack's and Paddle's libraries, under the schemes that a
    /// configuration would have for them.
    private static func vectors(_ file: JSONValue) throws -> [SignedVector] {
        let schemes = try file.required("schemes")
        return try file.signedVectors(
            { vector in
                let scheme = try schemes.required(try vector.text("scheme"))
                return settings(
                    try vector.text("secret"), try self.scheme(scheme),
                    toleranceSeconds: scheme["toleranceSeconds"]?.int64.map { Int($0) })
            }, { try $0.delivery() })
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
        guard let parts = SignedTemplate.parts(of: try json.text("signs")) else {
            throw VectorError(missing: "signs")
        }
        return HMACScheme(
            header: try json.text("header"),
            algorithm: json["algorithm"]?.string.flatMap { .init(rawValue: $0) } ?? .sha256,
            encoding: json["encoding"]?.string.flatMap { .init(rawValue: $0) } ?? .hex,
            prefix: json["prefix"]?.string ?? "", layout: layout,
            content: SignedTemplate(
                parts: parts, timestamp: place("timestamp"), id: place("id")))
    }

    private static func settings(
        _ secret: String, _ scheme: HMACScheme, toleranceSeconds: Int? = nil
    ) -> EndpointSettings {
        EndpointSettings(
            name: "hmac",
            [
                "secrets": .secrets([Array(secret.utf8)]),
                "toleranceSeconds": toleranceSeconds?.settingValue, "hmac": .scheme(scheme),
                "fields": .fields(MappedFixture.mapping),
            ])
    }
}

import Bytes
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let standardWebhooks: ProviderFixture = {
        @Sendable func settings(_ secret: String, signingKey: String? = nil) -> EndpointSettings {
            EndpointSettings(
                name: "standard-webhooks",
                [
                    "secrets": .secrets([Array(secret.utf8)]),
                    // The sample events are years away from the clock.
                    "toleranceSeconds": .integer(1_000_000_000),
                    "fields": .fields(MappedFixture.mapping),
                ], sender: ["signingKey": signingKey?.settingValue])
        }
        @Sendable func secret(_ byte: UInt8) -> String {
            "whsec_" + Base64.encode([UInt8](repeating: byte, count: 32))
        }
        var fixture = ProviderFixture(
            .standardWebhooks, settings(secret(1)), settings(secret(2)))
        let keys = [FixtureKeys.ed25519(), FixtureKeys.ed25519()].map {
            settings($0.publicText, signingKey: $0.privateText)
        }
        fixture.variants = [Endpoint(name: "v1a", settings: keys[0], foreign: keys[1])]
        fixture.addOptions = ["--status-word", "done=paid", "--field", "reference=/data/order"]
        fixture.marked = [
            MarkedRequest(headers: ["webhook-id", "webhook-timestamp"], "standard-webhooks"),
            MarkedRequest(headers: ["Webhook-Id", "Webhook-Signature"], "standard-webhooks"),
            MarkedRequest(headers: ["Svix-Signature"], "standard-webhooks"),
            MarkedRequest(headers: ["svix-id", "svix-timestamp"], "standard-webhooks"),
        ]
        // The specification's example of a schedule.
        fixture.isPublishedSchedule = { $0.first == .seconds(5) && $0.last == .hours(24) }
        fixture.vectors = .file("standard-webhooks") { file in
            try file.signedVectors(
                { vector in
                    EndpointSettings(
                        name: "standard-webhooks",
                        ["secrets": .secrets([Array(try vector.text("secret").utf8)])])
                }, { try $0.delivery() })
        }
        fixture.readings = { body in
            guard let provider = try? StandardWebhooks(settings: settings(secret(1))) else {
                fatalError("the settings are valid")
            }
            return [provider.interpret(StandardWebhooks.Evidence(id: "msg_1", body: body))]
        }
        // The teller of `hmac` reports mapped fields for both.
        return fixture
    }()
}

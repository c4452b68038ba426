import Bytes
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let mollie: ProviderFixture = {
        var fixture = ProviderFixture(.mollie, settings("first"), settings("second"))
        fixture.truthBlocks = 2
        fixture.kindsWithoutReference = ["capture", "refund", "dispute"]
        fixture.marked = [MarkedRequest(headers: ["X-Mollie-Signature"], "mollie")]
        fixture.answers = [
            JudgedAnswer(200, "", isAccepted: true), JudgedAnswer(200, "ok", isAccepted: true),
            JudgedAnswer(201, "", isAccepted: false), JudgedAnswer(204, "", isAccepted: false),
            JudgedAnswer(401, "", isAccepted: false),
        ]
        fixture.isPublishedSchedule = { pauses in
            pauses == [1, 2, 4, 8, 16, 29, 60, 120, 1320].map { .seconds($0 * 60) }
        }
        fixture.vectors = .file("mollie") { file in
            try ["vectors", "negatives"].flatMap { list in
                try file.required(list).elements.filter {
                    $0["config"]?["kind"]?.string == "signed"
                }.map { vector in
                    let request = try vector.required("request")
                    return SignedVector(
                        name: try vector.text("id"),
                        settings: try EndpointSettings(mollie: vector.required("config")),
                        delivery: SignedRequest(
                            vector: Array(try request.text("body").utf8),
                            headers: try request.required("headers").elements.map { pair in
                                let parts = pair.elements.map { $0.string ?? "" }
                                return Header(parts[0], parts[1])
                            }), isGenuine: list == "vectors")
                }
            }
        }
        fixture.readings = { body in
            guard let reading = try? MollieReading(EndpointSettings(name: "mollie")) else {
                return []
            }
            let root = try? JSONDocument(parsing: body).root
            let facts = root.flatMap { try? reading.facts($0, body) } ?? []
            return [reading.event(root, body)] + facts
        }
        fixture.teller = MollieTeller.self
        return fixture
    }()

    private static func settings(_ secret: String) -> EndpointSettings {
        EndpointSettings(
            name: "mollie",
            [
                "webhookSecrets": .secrets([Array("\(secret) secret of mollie".utf8)]),
                "reference": "/metadata/order_id", "apiKey": .text("live_\(secret)key"),
            ])
    }
}

extension EndpointSettings {
    /// The settings of a vector.
    package init(mollie config: JSONValue) throws {
        let secrets = config["webhookSecrets"]?.elements.compactMap(\.string) ?? []
        self.init(
            name: "mollie",
            [
                "webhookSecrets": .secrets(secrets.map { Array($0.utf8) }),
                "kind": .text(try config.text("kind")), "mode": .text(try config.text("mode")),
                "reference": .text(try config.text("reference")),
                "apiKey": config["apiKey"]?.string.map { .text($0) },
            ])
    }
}

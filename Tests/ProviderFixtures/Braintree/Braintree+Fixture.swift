import Bytes
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let braintree: ProviderFixture = {
        var fixture = ProviderFixture(.braintree, settings("first"), settings("second"))
        fixture.truthBlocks = 2
        fixture.addOptions = ["--set", "currency=EUR"]
        fixture.marked = [MarkedRequest(body: "bt_signature=1&bt_payload=2", "braintree")]
        fixture.answers = [
            JudgedAnswer(200, "", isAccepted: true), JudgedAnswer(204, "", isAccepted: true),
            JudgedAnswer(302, "", isAccepted: false), JudgedAnswer(401, "", isAccepted: false),
        ]
        fixture.isPublishedSchedule = { pauses in
            pauses == Array(repeating: .seconds(3600), count: 24)
        }
        fixture.vectors = .file("braintree") { file in
            try ["vectors", "negatives"].flatMap { list in
                try file.required(list).elements.map { vector in
                    var delivery = SignedRequest(
                        vector: Array(try vector.required("request").text("body").utf8))
                    delivery.received = Timestamp(
                        microseconds: (vector["now"]?.int64 ?? 0) * 1_000_000)
                    return SignedVector(
                        name: try vector.text("id"),
                        settings: try EndpointSettings(braintree: vector.required("config")),
                        delivery: delivery, isGenuine: list == "vectors")
                }
            }
        }
        fixture.readings = { body in
            guard let root = BraintreeXML.parse(body) else { return [] }
            return [Currency("EUR"), nil].map {
                BraintreeInterpretation(root: root, signed: body, currency: $0).notification
            }
        }
        fixture.teller = BraintreeTeller.self
        return fixture
    }()

    private static func settings(_ name: String) -> EndpointSettings {
        EndpointSettings(
            name: "braintree",
            [
                "keys": .secrets([Array("\(name)publickey|private key of \(name)".utf8)]),
                "currency": "EUR", "toleranceSeconds": .integer(1_000_000_000),
            ], inquiry: ["merchantID": "merchant"])
    }
}

extension EndpointSettings {
    /// The settings of a vector.
    package init(braintree config: JSONValue) throws {
        let keys = try config.required("keys").elements.map { pair in
            Array("\(try pair.text("publicKey"))|\(try pair.text("privateKey"))".utf8)
        }
        self.init(
            name: "braintree",
            [
                "keys": .secrets(keys), "currency": .text(try config.text("currency")),
                "toleranceSeconds": config["toleranceSeconds"]?.int64.map { .integer(Int($0)) },
            ])
    }
}

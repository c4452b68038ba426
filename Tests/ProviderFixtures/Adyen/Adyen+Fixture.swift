import Bytes
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let adyen: ProviderFixture = {
        func settings(_ digit: String) -> EndpointSettings {
            EndpointSettings(
                name: "adyen",
                [
                    "hmacKeys": .secrets([Array(String(repeating: digit, count: 64).utf8)]),
                    "merchantAccount": "ShopECOM",
                ])
        }
        var fixture = ProviderFixture(.adyen, settings("a"), settings("b"))
        fixture.addOptions = ["--set", "merchantAccount=ShopECOM", "--mode", "live"]
        fixture.truthBlocks = 2
        fixture.marked = [
            MarkedRequest(headers: ["HmacSignature"], "adyen"),
            MarkedRequest(body: #"{"live":"true","notificationItems":[]}"#, "adyen"),
        ]
        fixture.answers = [
            JudgedAnswer(200, "[accepted]", isAccepted: true),
            JudgedAnswer(202, "", isAccepted: true),
            JudgedAnswer(302, "[accepted]", isAccepted: false),
            JudgedAnswer(401, "[accepted]", isAccepted: false),
        ]
        fixture.isPublishedSchedule = { pauses in
            let first = [9, 18, 27, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800]
            let days = pauses.reduce(.zero, +) / .seconds(86_400)
            return pauses.starts(with: first.map { .seconds($0) }) && days > 29.6 && days <= 30
        }
        // `live`, `eventDate`, `reason` and `paymentMethod` are not signed.
        fixture.isNoMore = { read, genuine in
            var read = read
            (read.occurred, read.reason, read.method) =
                (genuine.occurred, genuine.reason, genuine.method)
            guard read.flags == [.testMode], read.effect == .none else { return read == genuine }
            return read.id == genuine.id
        }
        // A capture is reported under `capture: manual` only.
        fixture.impossibleScenarios = ["authorized-captured", "unpaid"]
        fixture.vectors = .file("adyen") { file in
            try ["vectors", "negatives", "traps"].flatMap { list in
                try file.required(list).elements.map { vector in
                    SignedVector(
                        name: vector["id"]?.string ?? "",
                        settings: try EndpointSettings(adyen: vector.required("config")),
                        delivery: try vector.required("request").adyenDelivery(),
                        isGenuine: list != "negatives" && vector["expected_refusal"] == nil)
                }
            }
        }
        fixture.readings = { body in
            guard let root = try? JSONDocument(parsing: body).root else { return [] }
            var work = VerificationWork(receivedBytes: body.count)
            guard let items = try? AdyenItem.items(in: root, work: &work) else { return [] }
            return items.flatMap { item in
                [EndpointSettings.Capture.automatic, .manual].map {
                    AdyenInterpretation(item: item, isLive: true, capture: $0, mode: .live)
                        .notification
                }
            }
        }
        fixture.teller = AdyenTeller.self
        return fixture
    }()
}

extension EndpointSettings {
    /// The settings of a vector.
    package init(adyen config: JSONValue) throws {
        self.init(
            name: "adyen",
            [
                "hmacKeys": .secrets(
                    try config.required("hmacKeys").elements.map { Array(($0.string ?? "").utf8) }),
                "merchantAccount": .text(try config.text("merchantAccount")),
                "capture": .text(try config.text("capture")),
                "mode": .text(try config.text("mode")),
            ])
    }
}

extension JSONValue {
    /// The request of a vector, whose headers are pairs.
    package func adyenDelivery() throws -> SignedRequest {
        let headers = try required("headers").elements.map { pair in
            let texts = pair.elements.compactMap(\.string)
            return Header(texts[0], texts[1])
        }
        return SignedRequest(vector: Array(try text("body").utf8), headers: headers)
    }
}

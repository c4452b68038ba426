import Bytes
import Cryptography
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let wechatPay: ProviderFixture = {
        var fixture = ProviderFixture(
            .wechatPay, settings(FixtureKeys.rsa(), "a"), settings(FixtureKeys.rsa(), "b"))
        fixture.addOptions = ["--key-serial", "PUB_KEY_ID_1", "--set", "apiV3Keys=apiv3.key"]
        fixture.truthBlocks = 2
        fixture.marked = [
            MarkedRequest(headers: ["Wechatpay-Signature"], "wechatpay"),
            MarkedRequest(headers: ["wechatpay-serial", "host"], "wechatpay"),
        ]
        fixture.answers = [
            JudgedAnswer(204, "", isAccepted: true), JudgedAnswer(200, "", isAccepted: true),
            JudgedAnswer(200, #"{"code":"SUCCESS","message":"成功"}"#, isAccepted: true),
            JudgedAnswer(200, #"{"code":"FAIL","message":"失败"}"#, isAccepted: false),
            JudgedAnswer(201, "", isAccepted: false), JudgedAnswer(401, "", isAccepted: false),
        ]
        fixture.isPublishedSchedule = { pauses in
            let minutes = [3, 10, 20, 30, 30, 30, 60, 180, 180, 180, 360, 360]
            return pauses == [15, 15, 30].map { .seconds($0) } + minutes.map { .seconds($0 * 60) }
        }
        fixture.impossibleScenarios = [
            "failed", "failed-then-paid", "expired", "unpaid", "authorized-captured", "disputed",
            "chargeback",
        ]
        fixture.vectors = .file("wechatpay") { file in
            try ["vectors", "negatives"].flatMap { list in
                try file.required(list).elements.map { vector in
                    SignedVector(
                        name: try vector.text("id"),
                        settings: try EndpointSettings(wechatPay: vector.required("config")),
                        delivery: try vector.wechatPayDelivery(), isGenuine: list == "vectors")
                }
            }
        }
        fixture.readings = { body in
            let root = try? JSONDocument(parsing: body).root
            let types = ["TRANSACTION.SUCCESS", "REFUND.SUCCESS"].compactMap { type in
                try? JSONDocument(parsing: Array(#"{"event_type":"\#(type)"}"#.utf8)).root
            }
            return ([root] + types).flatMap {
                WeChatPayInterpretation.notifications(
                    WeChatPayEvidence(root: $0, body: body, plaintext: body))
            }
        }
        fixture.teller = WeChatPayTeller.self
        return fixture
    }()

    private static func settings(_ key: RSAPrivateKey, _ digit: String) -> EndpointSettings {
        EndpointSettings(
            name: "wechatpay",
            [
                "platformKeys": .keys([
                    VersionedKey(version: 1, serial: "PUB_KEY_ID_1", text: key.publicKeyPEM)
                ]),
                "apiV3Keys": .secrets([Array(String(repeating: digit, count: 32).utf8)]),
                "mchid": "1900000109",
            ],
            inquiry: [
                "privateKey": .text(FixtureKeys.rsa().pem),
                "serialNumber": "5157F09EFDC096DE15EBE81A47057A7232F1B8E1",
            ], sender: ["privateKey": .text(key.pem)])
    }
}

extension EndpointSettings {
    /// The settings of a vector.
    package init(wechatPay config: JSONValue) throws {
        let keys = try config.required("platformKeys").elements.enumerated().map { number, key in
            VersionedKey(
                version: number + 1, serial: try key.text("serial"),
                text: try key["publicKey"]?.string ?? key.text("certificate"))
        }
        self.init(
            name: "wechatpay",
            [
                "platformKeys": .keys(keys),
                "apiV3Keys": .secrets(
                    try config.required("apiV3Keys").elements.map { Array(($0.string ?? "").utf8) }
                ),
                "mchid": .text(try config.text("mchid")),
                "toleranceSeconds": config["toleranceSeconds"]?.int64.map { .integer(Int($0)) },
            ])
    }
}

extension JSONValue {
    /// The request of a vector, received at its `now`.
    package func wechatPayDelivery() throws -> SignedRequest {
        let request = try required("request")
        let headers = try request.required("headers").elements.map { pair in
            let texts = pair.elements.compactMap(\.string)
            return Header(texts[0], texts[1])
        }
        guard let now = self["now"]?.int64 else { throw VectorError(missing: "now") }
        return SignedRequest(
            path: Array("/ipn/wechatpay".utf8)[...], headers: headers,
            body: Array(try request.text("body").utf8),
            received: Timestamp(microseconds: now * 1_000_000))
    }
}

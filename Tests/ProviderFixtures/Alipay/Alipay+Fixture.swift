import Bytes
import Cryptography
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let alipay: ProviderFixture = {
        var fixture = ProviderFixture(
            .alipay, settings(FixtureKeys.rsa()), settings(FixtureKeys.rsa()))
        fixture.addOptions = ["--set", "appID=2026010600000001"]
        fixture.truthBlocks = 2
        fixture.marked = [
            MarkedRequest(body: "notify_id=1&trade_no=2&sign_type=RSA2&sign=3", "alipay")
        ]
        fixture.answers = [
            JudgedAnswer(200, "success", isAccepted: true),
            JudgedAnswer(200, "success\n", isAccepted: false),
            JudgedAnswer(200, "SUCCESS", isAccepted: false),
            JudgedAnswer(200, "", isAccepted: false), JudgedAnswer(204, "", isAccepted: false),
            JudgedAnswer(401, "fail", isAccepted: false),
        ]
        fixture.isPublishedSchedule = { pauses in
            pauses == [240, 600, 600, 3600, 7200, 21_600, 54_000].map { .seconds($0) }
        }
        fixture.impossibleScenarios = [
            "failed", "failed-then-paid", "authorized-captured", "disputed", "chargeback",
        ]
        fixture.triesManyTexts = true
        fixture.vectors = .file("alipay") { file in
            try ["vectors", "negatives"].flatMap { list in
                try file.required(list).elements.map { vector in
                    SignedVector(
                        name: try vector.text("id"),
                        settings: try EndpointSettings(alipay: vector.required("config")),
                        delivery: SignedRequest(
                            vector: Array(try vector.required("request").text("body").utf8)),
                        isGenuine: list == "vectors")
                }
            }
        }
        fixture.readings = { body in
            var work = VerificationWork(receivedBytes: body.count)
            guard let form = try? AlipayForm(parsing: body, work: &work) else { return [] }
            return Alipay.Product.allCases.flatMap {
                AlipayInterpretation(AlipayEvidence(form: form, product: $0)).notifications
            }
        }
        fixture.teller = AlipayTeller.self
        return fixture
    }()

    private static func settings(_ key: RSAPrivateKey) -> EndpointSettings {
        EndpointSettings(
            name: "alipay",
            [
                "alipayPublicKeys": .keys([
                    VersionedKey(version: 1, text: key.publicKeyBase64DER)
                ]),
                "appID": "2026010600000001", "sellerID": "2088101106499364",
            ],
            inquiry: ["privateKey": .text(FixtureKeys.rsa().pem)],
            sender: ["privateKey": .text(key.pem)])
    }
}

extension EndpointSettings {
    /// The settings of a vector.
    package init(alipay config: JSONValue) throws {
        let keys = try config.required("alipayPublicKeys").elements.enumerated().map {
            VersionedKey(version: $0 + 1, text: $1.string ?? "")
        }
        func texts(_ name: StaticString) -> [String]? {
            config[name].map { $0.elements.compactMap(\.string) }
        }
        self.init(
            name: "alipay",
            [
                "alipayPublicKeys": .keys(keys),
                "appID": config["appID"]?.string.map { .text($0) },
                "sellerID": config["sellerID"]?.string.map { .text($0) },
                "partner": config["partner"]?.string.map { .text($0) },
                "product": config["product"]?.string.map { .text($0) },
                "signTypes": texts("signTypes").map { .texts($0) },
                "md5Keys": texts("md5Keys").map { .secrets($0.map { Array($0.utf8) }) },
            ])
    }
}

import Bytes
import Cryptography
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let paypal: ProviderFixture = {
        var fixture = ProviderFixture(.paypal, settings(.live), settings(.live))
        fixture.variants = [
            Endpoint(
                name: "paypal by invoice",
                settings: settings(.live, ["reference": .texts(["invoice_id", "custom_id"])]),
                foreign: settings(.live))
        ]
        fixture.addOptions = ["--set", "webhookIDs=0AB12345CD678901E", "--mode", "live"]
        fixture.truthBlocks = 2
        fixture.marked = [
            MarkedRequest(headers: ["PayPal-Transmission-Id"], "paypal"),
            MarkedRequest(headers: ["paypal-cert-url", "host"], "paypal"),
        ]
        fixture.answers = [
            JudgedAnswer(200, "", isAccepted: true), JudgedAnswer(204, "", isAccepted: true),
            JudgedAnswer(302, "", isAccepted: false), JudgedAnswer(503, "", isAccepted: false),
        ]
        fixture.impossibleScenarios = ["expired"]
        fixture.vectors = .file("paypal") { file in
            try ["vectors", "negatives"].flatMap { list in
                try file.required(list).elements.map {
                    SignedVector(
                        name: try $0.text("id"), settings: try PayPalVector.settings($0, in: file),
                        delivery: try PayPalVector.delivery($0), isGenuine: list == "vectors")
                }
            }
        }
        fixture.readings = { body in
            EndpointSettings.Mode.allCases.map {
                PayPalInterpretation.notification(
                    PayPalEvidence(body: body), reference: [.customID, .invoiceID], mode: $0)
            }
        }
        fixture.teller = PayPalTeller.self
        return fixture
    }()

    private static func settings(
        _ mode: EndpointSettings.Mode, _ others: [String: SettingValue?] = [:]
    ) -> EndpointSettings {
        let key = FixtureKeys.rsa()
        guard
            let certificate = try? Certificate.selfSigned(
                key, name: PayPal.certificateName(mode))
        else { fatalError("OpenSSL makes no certificate") }
        let own: [String: SettingValue?] = [
            "webhookIDs": .texts(["0AB12345CD678901E"]), "mode": mode.settingValue,
            "caFile": .text(certificate),
        ]
        return EndpointSettings(
            name: "paypal", own.merging(others) { $1 }, sender: ["privateKey": .text(key.pem)])
    }
}

/// Reads the vectors that were signed with a certificate of their own authority.
package enum PayPalVector {
    /// The endpoint's settings, with the certificates that the file or the vector has.
    package static func settings(
        _ vector: JSONValue, in file: JSONValue, memory: TransmissionMemory = TransmissionMemory()
    ) throws -> EndpointSettings {
        let config = try vector.required("config")
        func texts(_ name: String) throws -> SettingValue {
            .texts(try config.required(name).elements.compactMap(\.string))
        }
        var settings = EndpointSettings(
            name: "paypal",
            [
                "webhookIDs": try texts("webhookIDs"), "mode": .text(try config.text("mode")),
                "certificateHosts": try texts("certificateHosts"),
                "certificateName": .text(try config.text("certificateName")),
                "toleranceSeconds": config["toleranceSeconds"]?.int64.map { .integer(Int($0)) },
                "reference": try texts("reference"),
                "caFile": .text(try authorities(try file.required("trust"))),
            ])
        var known: [String: String] = [:]
        for list in [file["certificates"], vector["certificates"]].compactMap(\.self) {
            for (url, pem) in list.members { known[url] = pem.string }
        }
        settings.memory = ProviderMemory(
            certificates: CertificateCache(known), transmissions: memory)
        return settings
    }

    /// The roots and intermediates as the text of a file.
    package static func authorities(_ trust: JSONValue) throws -> String {
        try ["intermediates", "roots"].flatMap {
            try trust.required($0).elements.compactMap(\.string)
        }.joined(separator: "\n")
    }

    package static func delivery(_ vector: JSONValue) throws -> SignedRequest {
        let request = try vector.required("request")
        let encoded = request["body_base64"]?.utf8.flatMap { Base64.decode(strict: $0) }
        let headers = try request.required("headers").elements.map { pair in
            let texts = pair.elements.compactMap(\.string)
            guard texts.count == 2 else { throw VectorError(missing: "headers") }
            return Header(texts[0], texts[1])
        }
        guard let now = vector["now"]?.int64 else { throw VectorError(missing: "now") }
        return SignedRequest(
            path: Array("/ipn/paypal".utf8)[...], headers: headers,
            body: try encoded ?? Array(request.text("body").utf8),
            received: Timestamp(microseconds: now * 1_000_000))
    }
}

import Bytes
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let openPaymentPlatform: ProviderFixture = {
        func settings(_ digit: String, _ token: SettingValue) -> EndpointSettings {
            EndpointSettings(
                name: "opp",
                ["secrets": .secrets([Array(String(repeating: digit, count: 64).utf8)])],
                inquiry: [
                    "token": token, "entityIDs": .texts([String(repeating: "e", count: 32)]),
                ])
        }
        var fixture = ProviderFixture(
            .openPaymentPlatform, settings("0", "opp-token"), settings("1", "other"))
        fixture.addOptions = ["--mode", "live"]
        fixture.marked = [
            MarkedRequest(headers: ["X-Initialization-Vector"], "opp"),
            MarkedRequest(headers: ["X-Authentication-Tag"], "opp"),
            MarkedRequest(body: #"{"encryptedBody":"00"}"#, "opp"),
        ]
        fixture.isPublishedSchedule = { pauses in
            let first = [60, 120, 240, 480, 900, 1800, 3600]
            let last = [Int](repeating: 86_400, count: 30)
            return pauses == (first + last).map { .seconds($0) }
        }
        fixture.vectors = .file("opp") { file in
            try file.signedVectors(
                { settings in
                    EndpointSettings(
                        name: "opp",
                        ["secrets": .secrets([Array(try settings.text("key_hex").utf8)])])
                },
                { vector in
                    let headers = [
                        Header("X-Initialization-Vector", try vector.text("iv_hex")),
                        Header("X-Authentication-Tag", try vector.text("tag_hex")),
                    ]
                    return SignedRequest(
                        vector: Array(try vector.text("body_hex").utf8), headers: headers)
                })
        }
        fixture.readings = { body in
            EndpointSettings.Mode.allCases.map {
                OPPInterpretation.notification(plaintext: body, mode: $0)
            }
        }
        fixture.inquiry = inquiry
        fixture.teller = OPPTeller.self
        return fixture
    }()

    private static let inquiry: Inquiry = {
        var inquiry = Inquiry(
            paid: { reference, status, amount in
                #"{"result":{"code":"000.000.100"},"payments":[{"id":"T-1","paymentType":"DB","#
                    + #""amount":"\#(amount / 100).\#(amount % 100 / 10)\#(amount % 10)","#
                    + #""currency":"EUR","merchantTransactionId":""# + reference
                    + #"","result":{"code":""# + status + #""}}]}"#
            }, paidWord: "000.000.000")
        inquiry.unknownWord = "123.456.789"
        inquiry.successfulCalls = [
            #"{"result":{"code":"000.000.100"}}"#,
            #"{"result":{"code":"000.000.000"},"amount":"42.00","currency":"EUR"}"#,
        ]
        inquiry.failedCalls = ["700.400.580", "800.120.100", "800.900.300", "100.150.100"].map {
            #"{"result":{"code":"\#($0)"}}"#
        }
        inquiry.unknown = [
            (#"{"result":{"code":"700.400.580"}}"#, 404),
            (#"{"result":{"code":"000.000.100"},"payments":[]}"#, 200),
        ]
        return inquiry
    }()
}

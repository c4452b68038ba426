import Bytes
import Cryptography
import Payments
import ProviderFixtures
import Testing

@testable import Providers

@Suite struct HMACWebhookTests {
    static let secret = Array("It's a Secret to Everybody".utf8)

    static let mapping = MappedFixture.mapping

    static func provider(
        _ scheme: HMACScheme, fields: FieldMapping = mapping, tolerance: Int? = nil
    ) throws -> HMACWebhook {
        try HMACWebhook(
            settings: EndpointSettings(
                name: "h",
                [
                    "secrets": .secrets([Array("older".utf8), secret]),
                    "toleranceSeconds": tolerance?.settingValue, "hmac": .scheme(scheme),
                    "fields": .fields(fields),
                ]))
    }

    /// GitHub's documented example of `X-Hub-Signature-256`.
    @Test func `a published signature verifies`() throws {
        let provider = try Self.provider(
            HMACScheme(header: "X-Hub-Signature-256", prefix: "sha256="))
        let delivery = SignedRequest(
            headers: [
                (
                    "X-Hub-Signature-256",
                    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
                )
            ], body: "Hello, World!")
        #expect(try provider.verify(delivery).key == "2")
        var changed = delivery
        changed.bodyText = "Hello, World?"
        #expect(provider.refusal(changed) == .signatureMismatch)
    }

    @Test(
        arguments: HMAC.Algorithm.allCases, HMACScheme.Encoding.allCases)
    func `every scheme verifies what its sender signs`(
        _ algorithm: HMAC.Algorithm, _ encoding: HMACScheme.Encoding
    ) throws {
        for content in [SignedTemplate.body, .timestampAndBody(header: "X-Time")] {
            for prefix in ["", "v1="] {
                let scheme = HMACScheme(
                    header: "X-Sign", algorithm: algorithm, encoding: encoding, prefix: prefix,
                    content: content)
                let sender = try HMACWebhookSender(
                    settings: EndpointSettings(
                        name: "sender",
                        [
                            "secrets": .secrets([Self.secret]), "hmac": .scheme(scheme),
                            "fields": .fields(Self.mapping),
                        ]))
                let delivery = try sender.sign(.sample(.paid), path: "/h").delivery
                let provider = try Self.provider(scheme)
                #expect(
                    try provider.receive(delivery).effect == .attempt(.paid, .of(4200, "MYR")))
                var changed = delivery
                changed.body[0] ^= 1
                #expect(provider.refusal(changed) == .signatureMismatch)
                if content != .body {
                    let moved = delivery.with(header: "x-time", "1")
                    #expect(provider.refusal(moved) == .signatureMismatch)
                    let missing = delivery.with(header: "x-time", nil)
                    #expect(provider.refusal(missing)?.reason == "missing_header")
                }
            }
        }
    }

    @Test(arguments: [
        (nil as String?, "missing_header"), ("", "signature_prefix"),
        ("SHA256=00", "signature_prefix"),
        ("sha256=", "signature_encoding"), ("sha256=zz", "signature_encoding"),
        ("sha256=00", "signature_encoding"),
        ("sha256=" + String(repeating: "0", count: 64), "signature_mismatch"),
    ])
    func `signatures that are none`(_ value: String?, _ reason: String) throws {
        let provider = try Self.provider(HMACScheme(header: "x-sign", prefix: "sha256="))
        let delivery = SignedRequest(body: "{}").with(header: "x-sign", value)
        #expect(provider.refusal(delivery)?.reason == reason)
        #expect(provider.refusal(delivery)?.kind == .unauthenticated)
    }

    @Test func `a signed time is checked where it is asked for`() throws {
        let scheme = HMACScheme(header: "s", content: .timestampAndBody(header: "t"))
        func delivery(_ time: String) -> SignedRequest {
            let code = HMAC.code(.sha256, key: Self.secret, message: Array("\(time).{}".utf8))
            return SignedRequest(
                headers: [("t", time), ("s", Hex.encode(code))], body: "{}", received: 1_000_000)
        }
        let strict = try Self.provider(scheme, tolerance: 300)
        for (time, reason) in [
            ("1000000", nil as String?), ("999700", nil), ("1000300", nil),
            ("999699", "timestamp_out_of_tolerance"), ("1000301", "timestamp_out_of_tolerance"),
            ("1970-01-12T13:46:40Z", nil), ("soon", "timestamp_malformed"),
            ("", "timestamp_malformed"),
            ("999999999999999999", "timestamp_out_of_tolerance"),
        ] {
            let refusal = strict.refusal(delivery(time))
            let isRight = refusal?.reason == reason || (reason != nil && refusal != nil)
            #expect(isRight, "\(time): \(String(describing: refusal))")
        }
        #expect(strict.refusal(delivery("1000").received(at: 1300)) == nil)
        let lax = try Self.provider(scheme)
        #expect(lax.refusal(delivery("1")) == nil && lax.refusal(delivery("soon")) == nil)
    }

    @Test(arguments: [
        ("hmac.header", HMACScheme(header: ""), mapping, nil as Int?),
        ("hmac.header", HMACScheme(header: "a b"), mapping, nil),
        (
            "hmac.timestampHeader",
            HMACScheme(header: "a", content: .timestampAndBody(header: "A")), mapping, nil
        ),
        ("toleranceSeconds", HMACScheme(header: "a"), mapping, 300),
        (
            "toleranceSeconds", HMACScheme(header: "a", content: .timestampAndBody(header: "t")),
            mapping, 0
        ),
        ("fields.status", HMACScheme(header: "a"), changed { $0.status = "type" }, nil),
        ("fields.identity[0]", HMACScheme(header: "a"), changed { $0.identity = ["a"] }, nil),
        ("fields.reference", HMACScheme(header: "a"), changed { $0.reference = "/a~2" }, nil),
        (
            "fields.reference", HMACScheme(header: "a"),
            changed {
                $0.reference = nil
                $0.transaction = nil
            }, nil
        ),
        ("fields.currency", HMACScheme(header: "a"), changed { $0.currency = nil }, nil),
        ("fields.currency", HMACScheme(header: "a"), changed { $0.currency = .fixed("eur") }, nil),
        ("fields.amount", HMACScheme(header: "a"), changed { $0.amount = nil }, nil),
        ("fields.statuses", HMACScheme(header: "a"), changed { $0.statuses = [:] }, nil),
    ])
    func `settings that cannot work are named`(
        _ key: String, _ scheme: HMACScheme, _ fields: FieldMapping, _ tolerance: Int?
    ) {
        do throws(SettingsError) {
            _ = try HMACWebhook(
                settings: EndpointSettings(
                    name: "h",
                    [
                        "secrets": .secrets([Self.secret]),
                        "toleranceSeconds": tolerance?.settingValue,
                        "hmac": .scheme(scheme), "fields": .fields(fields),
                    ]))
            Issue.record("accepted")
        } catch {
            #expect(error.key == key)
        }
    }

    static func changed(_ change: (inout FieldMapping) -> Void) -> FieldMapping {
        var mapping = mapping
        change(&mapping)
        return mapping
    }
}

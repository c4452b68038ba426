import Cryptography
import Payments
import Testing

@testable import Providers

@Suite struct StandardWebhooksTests {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    static let time: Int64 = 1_614_265_330

    static func provider(
        secrets: [String] = [secret], fields: FieldMapping? = nil, tolerance: Int? = nil
    ) throws(SettingsError) -> StandardWebhooks {
        try StandardWebhooks(
            settings: EndpointSettings(
                name: "s",
                [
                    "secrets": .secrets(secrets.map { Array($0.utf8) }),
                    "toleranceSeconds": tolerance?.settingValue, "fields": fields?.settingValue,
                ]))
    }

    /// The example of the specification's reference libraries.
    static let example = SignedRequest(
        headers: [
            ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"), ("webhook-timestamp", "1614265330"),
            ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
        ], body: #"{"test": 2432232314}"#, received: time)

    @Test func `the published example verifies`() throws {
        let verified = try Self.provider().verify(Self.example)
        #expect(verified.key == "1" && verified.evidence.id == "msg_p5jXN8AQM9LWM0D4loKWxJek")
    }

    /// The example under the names that Svix gives the headers.
    static let svix = SignedRequest(
        headers: [
            ("Svix-Id", "msg_p5jXN8AQM9LWM0D4loKWxJek"), ("svix-timestamp", "1614265330"),
            ("svix-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
        ], body: #"{"test": 2432232314}"#, received: time)

    @Test func `svix names of the headers are taken`() throws {
        let provider = try Self.provider()
        let verified = try provider.verify(Self.svix)
        #expect(verified.evidence == (try provider.verify(Self.example)).evidence)
        let altered = Self.svix.with(header: "svix-id", "msg_p5jXN8AQM9LWM0D4loKWxJeK")
        #expect(provider.refusal(altered) == .signatureMismatch)
        #expect(
            provider.refusal(Self.svix.received(at: Self.time + 301))?.reason
                == "timestamp_out_of_tolerance")
    }

    @Test(arguments: [
        ("svix-signature", "webhook-signature"), ("svix-timestamp", "webhook-timestamp"),
        ("svix-id", "webhook-id"),
    ])
    func `headers of the two families do not mix`(_ theirs: String, _ ours: String) throws {
        let value = try #require(Self.example.value(ours))
        let mixed = Self.svix.with(header: theirs, nil).with(header: ours, value)
        #expect(try Self.provider().refusal(mixed)?.reason == "missing_header")
    }

    @Test func `the specification's names go first`() throws {
        var both = Self.example
        both.headers += Self.svix.with(header: "svix-id", "other").headers
        #expect(try Self.provider().verify(both).evidence.id == "msg_p5jXN8AQM9LWM0D4loKWxJek")
        let forged = both.with(header: "webhook-signature", "v1,AAAA")
        #expect(try Self.provider().refusal(forged) == .signatureMismatch)
    }

    @Test func `one byte changed is refused`() throws {
        let provider = try Self.provider()
        var body = Self.example
        body.bodyText += " "
        #expect(provider.refusal(body) == .signatureMismatch)
        let id = Self.example.with(header: "webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJeK")
        #expect(provider.refusal(id) == .signatureMismatch)
        let time = Self.example.with(header: "webhook-timestamp", "1614265331")
        #expect(provider.refusal(time) == .signatureMismatch)
        let other = try Self.provider(secrets: ["whsec_AAAA"])
        #expect(other.refusal(Self.example) == .signatureMismatch)
    }

    @Test(arguments: [
        "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        "v1a,xyz v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v2,abc",
        "v1,%%% v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,AAAA",
    ])
    func `one of several signatures is enough`(_ signatures: String) throws {
        let delivery = Self.example.with(header: "webhook-signature", signatures)
        #expect(try Self.provider().refusal(delivery) == nil)
    }

    @Test(arguments: [
        ("webhook-signature", nil as String?, "missing_header"),
        ("webhook-id", nil, "missing_header"),
        ("webhook-timestamp", nil, "missing_header"),
        ("webhook-signature", "", "signature_version_unknown"),
        ("webhook-signature", "v2,AAAA", "signature_version_unknown"),
        ("webhook-signature", "v1a,AAAA", "signature_version_unknown"),
        ("webhook-signature", "g0hM9SsE", "signature_version_unknown"),
        ("webhook-signature", "v1,%%%", "signature_encoding"),
        ("webhook-signature", "v1,AAAA", "signature_mismatch"),
        (
            "webhook-signature", Array(repeating: "v1,AAAA", count: 17).joined(separator: " "),
            "signature_too_many"
        ),
        ("webhook-id", "", "webhook_id_malformed"),
        ("webhook-timestamp", "", "timestamp_malformed"),
        ("webhook-timestamp", "-1", "timestamp_malformed"),
        ("webhook-timestamp", "1614265330.0", "timestamp_malformed"),
        ("webhook-timestamp", "16142653300000", "timestamp_malformed"),
    ])
    func `proofs that are none`(_ name: String, _ value: String?, _ reason: String) throws {
        let refusal = try Self.provider().refusal(Self.example.with(header: name, value))
        #expect(refusal?.reason == reason && refusal?.kind == .unauthenticated)
    }

    @Test(arguments: [
        (0 as Int64, nil as Int?, true), (300, nil, true), (-300, nil, true), (301, nil, false),
        (-301, nil, false), (3000, 3600, true), (11, 10, false),
    ])
    func `the time has to be near ours`(_ offset: Int64, _ tolerance: Int?, _ isAccepted: Bool)
        throws
    {
        let provider = try Self.provider(tolerance: tolerance)
        let refusal = provider.refusal(Self.example.received(at: Self.time + offset))
        #expect(refusal?.reason == (isAccepted ? nil : "timestamp_out_of_tolerance"))
    }

    @Test func `a retry with its own time is the same event`() throws {
        let sender = try StandardWebhooksSender(
            settings: EndpointSettings(
                name: "sender",
                [
                    "secrets": .secrets([Array(Self.secret.utf8)]),
                    "fields": .fields(HMACWebhookTests.mapping),
                ]))
        var event = SampleEvent.sample(.paid)
        event.occurred = Timestamp(microseconds: Self.time * 1_000_000)
        let provider = try Self.provider(fields: HMACWebhookTests.mapping)
        let first = try provider.receive(
            sender.sign(event, path: "/s").delivery.received(at: Self.time))
        #expect(first.effect == .attempt(.paid, .of(4200, "MYR")))
        event.occurred = Timestamp(microseconds: (Self.time + 60) * 1_000_000)
        let retry = try provider.receive(
            sender.sign(event, path: "/s").delivery.received(at: Self.time))
        #expect(first.id == retry.id)
    }

    @Test func `without a mapping events are kept without effect`() throws {
        let notification = try Self.provider().receive(Self.example)
        #expect(notification.effect == .none && notification.flags.isEmpty)
        #expect(notification.id == "msg_p5jXN8AQM9LWM0D4loKWxJek")
    }

    @Test(arguments: [
        "", "whsec_", "whsec_%%", "whsec_AAAAA", "a secret", "whpk_AAAA", "whpk_%%",
        "whpk_AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "whsk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    ])
    func `secrets of another form are refused`(_ secret: String) {
        do throws(SettingsError) {
            _ = try Self.provider(secrets: [Self.secret, secret])
            Issue.record("accepted")
        } catch {
            #expect(error.key == "secrets[1]")
        }
    }

    @Test func `white space around the secret does not matter`() throws {
        #expect(try Self.provider(secrets: [Self.secret + "\n"]).refusal(Self.example) == nil)
        #expect(try Self.provider(secrets: [" \t" + Self.secret]).refusal(Self.example) == nil)
    }
}

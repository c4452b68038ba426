import Bytes
import Testing

@testable import Providers

/// What a notification is recognised by where it came to a wrong path.
@Suite struct MarksTests {
    private static func systems(headers: [String] = [], body: String = "") -> [String] {
        let found = Marks.fields(of: Array(body.utf8), bytesMax: 65_536)
        return ProviderRegistry.list.filter {
            $0.marks.match(headers.map { Header($0, "x") }, fieldsFound: found)
        }.map(\.name)
    }

    @Test(arguments: [
        (["Client-Id", "Signature", "Host"], "antom"), (["request-time", "signature"], "antom"),
        (["X-Initialization-Vector"], "opp"), (["X-Authentication-Tag"], "opp"),
        (["webhook-id", "webhook-timestamp"], "standard-webhooks"),
        (["Webhook-Signature"], "standard-webhooks"), (["Svix-Signature"], "standard-webhooks"),
        (["svix-id", "svix-timestamp"], "standard-webhooks"),
    ])
    func headersGiveASystemAway(_ headers: [String], _ system: String) {
        #expect(Self.systems(headers: headers) == [system])
    }

    @Test(arguments: [
        (#"{"payment":{"id":"1"},"signature":"x"}"#, ["ecommpay"]),
        (#" {"project_id":1,"operation":{"a":[1,{"b":"}"}]},"general":{}}"#, ["ecommpay"]),
        (#"{"encryptedBody":"00"}"#, ["opp"]),
        (#"{"id":"1","fields":"id","sign":"00"}"#, ["citcon-upi", "citcon-pay"]),
        ("id=1&fields=id&sign=00", ["citcon-upi", "citcon-pay"]),
        // A name in escapes is the same name, and what follows the object does not count.
        (#"{"sig\u006eature":"x","payment":{}}garbage"#, ["ecommpay"]),
    ])
    func bodiesGiveASystemAway(_ body: String, _ systems: [String]) {
        #expect(Self.systems(body: body) == systems)
    }

    @Test(arguments: [
        "", "{", "[]", "{}", "hello", "sign=00", "fields=id&signature=00", "&&=&",
        #"{"payment":{"signature":"x"}}"#, #"[{"payment":1,"signature":2}]"#,
        #""payment signature""#, #"{"payment":1 "signature":2}"#, #"{"fields":"a","x":"sign"}"#,
        #"{"a":"\"payment\":1,\"signature\":2"}"#, String(repeating: #"{"a":"#, count: 1000),
    ])
    func anythingElseIsNotRecognised(_ body: String) {
        #expect(Self.systems(headers: ["signature", "client-ip", "host"], body: body).isEmpty)
    }

    @Test(arguments: [
        #"{"pad":"PAD","payment":1,"signature":2}"#, "pad=PAD&fields=id&sign=00",
    ])
    func noMoreOfABodyIsReadThanAllowed(_ text: String) {
        let pad = String(repeating: "x", count: 1000)
        let body = Array(text.replacing("PAD", with: pad).utf8)
        #expect(Marks.fields(of: body, bytesMax: body.count).count == 2)
        #expect(Marks.fields(of: body, bytesMax: 1000).isEmpty)
        #expect(Marks.fields(of: body, bytesMax: 0).isEmpty)
    }

    @Test func anEndpointsOwnSchemeIsAMark() throws {
        let settings = EndpointSettings(
            name: "stripe", ["hmac": .scheme(HMACScheme(header: "Stripe-Signature"))])
        let marks = try #require(ProviderRegistry.all["hmac"]).marks(settings)
        #expect(marks.match([Header("stripe-signature", "t=1")], fieldsFound: []))
        #expect(!marks.match([Header("signature", "t=1")], fieldsFound: []))
    }

    /// A system without a mark would never be missed at a wrong path.
    @Test(arguments: ProviderRegistry.list.map(\.name).filter { $0 != "hmac" })
    func everySystemHasAMark(_ system: String) throws {
        let marks = try #require(ProviderRegistry.all[system]).marks
        #expect(!(marks.headers + marks.fields).isEmpty)
        #expect((marks.headers + marks.fields).allSatisfy { !$0.isEmpty })
        #expect(marks.headers.joined().allSatisfy { $0 == $0.lowercased() })
    }
}

import Bytes
import ProviderFixtures
import Testing

@testable import Providers

/// The headers and fields that identify a notification at a wrong path.
@Suite struct MarksTests {
    private static func systems(headers: [String] = [], body: String = "") -> [String] {
        let found = Marks.fields(
            of: Array(body.utf8), bytesMax: 65_536, among: ProviderCatalog.shipped.markFields)
        return ProviderCatalog.shipped.list.filter {
            $0.marks.match(headers.map { Header($0, "x") }, fieldsFound: found)
        }.map(\.name)
    }

    @Test(arguments: ProviderFixture.all)
    func `the marks of a request give its provider away`(_ fixture: ProviderFixture) {
        for request in fixture.marked {
            #expect(
                Self.systems(headers: request.headers, body: request.body) == request.providers)
            #expect(request.providers.contains(fixture.name))
        }
        #expect(fixture.marked.isEmpty == (fixture.descriptor.marks == Marks()))
    }

    @Test(arguments: [
        "", "{", "[]", "{}", "hello", "sign=00", "fields=id&signature=00", "&&=&",
        #"{"payment":{"signature":"x"}}"#, #"[{"payment":1,"signature":2}]"#,
        #""payment signature""#, #"{"payment":1 "signature":2}"#, #"{"fields":"a","x":"sign"}"#,
        #"{"a":"\"payment\":1,\"signature\":2"}"#, String(repeating: #"{"a":"#, count: 1000),
    ])
    func `anything else is not recognised`(_ body: String) {
        #expect(Self.systems(headers: ["signature", "client-ip", "host"], body: body).isEmpty)
    }

    private static func fields(of body: [UInt8], bytesMax: Int) -> Set<String> {
        Marks.fields(
            of: body, bytesMax: bytesMax, among: ProviderCatalog.shipped.markFields)
    }

    @Test(arguments: [
        #"{"pad":"PAD","payment":1,"signature":2}"#, "pad=PAD&fields=id&sign=00",
    ])
    func `no more of a body is read than allowed`(_ text: String) {
        let pad = String(repeating: "x", count: 1000)
        let body = Array(text.replacing("PAD", with: pad).utf8)
        #expect(Self.fields(of: body, bytesMax: body.count).count == 2)
        #expect(Self.fields(of: body, bytesMax: 1000).isEmpty)
        #expect(Self.fields(of: body, bytesMax: 0).isEmpty)
    }

    @Test func `an endpoint's own scheme is a mark`() throws {
        let settings = EndpointSettings(
            name: "stripe", ["hmac": .scheme(HMACScheme(header: "Stripe-Signature"))])
        let marks = try #require(ProviderRegistry.all["hmac"]).marks(settings)
        #expect(marks.match([Header("stripe-signature", "t=1")], fieldsFound: []))
        #expect(!marks.match([Header("signature", "t=1")], fieldsFound: []))
    }

    /// A provider without a mark would never be noticed at a wrong path.
    @Test(arguments: ProviderFixture.all)
    func `every provider has a mark`(_ fixture: ProviderFixture) {
        let marks = fixture.descriptor.marks(fixture.endpoint.settings)
        #expect(!(marks.headers + marks.fields).isEmpty)
        #expect((marks.headers + marks.fields).allSatisfy { !$0.isEmpty })
        #expect(marks.headers.joined().allSatisfy { $0 == $0.lowercased() })
    }
}

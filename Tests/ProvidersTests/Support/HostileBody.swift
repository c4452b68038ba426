import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// A body without a valid signature, built so that its verification is as expensive as possible.
struct HostileBody: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    init(_ description: String, _ text: String) {
        testDescription = description
        bytes = Array(text.utf8)
    }

    static let settings = EndpointSettings(name: "x", ["secrets": .secrets([Array("secret".utf8)])])

    /// The providers whose verification is measured.
    static func providers() throws -> [(ProviderFixture, provider: any MeasuredProvider)] {
        try ProviderFixture.all.compactMap { fixture in
            let provider = try fixture.descriptor.make(fixture.endpoint.settings)
            return (provider as? any MeasuredProvider).map { (fixture, $0) }
        }
    }

    func refusal(of provider: some MeasuredProvider, _ work: inout VerificationWork) -> Refusal? {
        do throws(Refusal) {
            let delivery = SignedRequest(
                path: [], headers: [], body: bytes, received: Timestamp(microseconds: 0))
            _ = try provider.verify(delivery, work: &work)
            return nil
        } catch {
            return error
        }
    }

    static let all: [HostileBody] = ecommpay + citcon + adyen + forms

    /// An ecommpay callback with `count` elements under one key.
    static func elements(_ count: Int, key: String, _ element: (Int) -> String) -> String {
        let elements = (0..<count).map(element).joined(separator: ",")
        return "{\"signature\":\"AAAA\",\"\(key)\":[\(elements)]}"
    }

    private static func members(_ names: [String]) -> String {
        names.map { "\"\($0)\":1" }.joined(separator: ",")
    }

    private static let ecommpay: [HostileBody] =
        [10, 30, 100, 1000].flatMap { length in
            [
                HostileBody(
                    "a key of \(length) over 1,000 elements",
                    elements(1000, key: String(repeating: "k", count: length)) { _ in "1" }),
                HostileBody(
                    "digits of \(length) over 500 fractions",
                    elements(500, key: String(repeating: "7", count: length)) { "\($0).50" }),
            ]
        } + [
            HostileBody(
                "1,000 long keys alike",
                "{\"signature\":\"AAAA\","
                    + members(
                        (0..<1000).reversed().map { String(repeating: "1", count: 300) + "\($0)" })
                    + "}"),
            HostileBody(
                "nested as deep as allowed",
                "{\"signature\":\"AAAA\",\"a\":" + String(repeating: "{\"kkkkkkkk\":", count: 30)
                    + "[1.5,1e25,2.5]" + String(repeating: "}", count: 31)),
        ]

    private static let citcon: [HostileBody] = {
        let long = String(repeating: "n", count: 250)
        let names = (0..<64).map { "\(long)\(100 + $0)" }
        let others = (0..<2000).map { "\(long)\(1000 + $0)" }
        func body(_ list: [String], _ more: [String]) -> String {
            "{\"sign\":\"a\",\"fields\":\"\(list.joined(separator: ","))\",\(members(list + more))}"
        }
        return [
            HostileBody("64 names alike among 2,000", body(names, others)),
            HostileBody(
                "64 names among 8,000 with escapes",
                body((0..<64).map { "z\($0)" }, (0..<8000).map { "\\u006e\($0)" })),
            HostileBody("a list of commas", "{\"sign\":\"a\",\"fields\":\"\(commas)\"}"),
            HostileBody(
                "32 names with one hint",
                "{\(members((0..<32).map { "\(long)\(100 + $0)\(long)" }))}"),
        ]
    }()

    private static let adyen: [HostileBody] = {
        func item(_ more: String) -> String {
            "{\"NotificationRequestItem\":{\"additionalData\":{\"hmacSignature\":\""
                + String(repeating: "A", count: 43) + "=\"},\"amount\":{\"value\":1}\(more)}}"
        }
        func body(_ items: [String]) -> String {
            "{\"notificationItems\":[\(items.joined(separator: ","))]}"
        }
        let names = (0..<3500).map { ",\"succes\\u0073\($0)\":1" }.joined()
        return [
            HostileBody("an item of 3,500 escaped names", body([item(names)])),
            HostileBody("500 items", body((0..<500).map { _ in item("") })),
        ]
    }()

    private static let commas = String(repeating: ",", count: 50_000)

    private static let forms: [HostileBody] = {
        let long = String(repeating: "e%CC%81", count: 300)
        let names = (0..<250).map { "\(long)\($0)=1" }.joined(separator: "&")
        return [
            HostileBody("a form of 250 names alike", names),
            HostileBody("a form of ampersands", String(repeating: "&", count: 50_000)),
            HostileBody("a form of escapes", "a=" + String(repeating: "%41", count: 20_000)),
        ]
    }()
}

import Bytes
import Cryptography
import Payments
import TestSupport
import Testing

@testable import Providers

/// One signed text has one effect: moving bytes between the signed parts of a request with a
/// document does not give another notification.
@Suite struct HMACAmbiguityTests {
    private static let templates = [
        "{timestamp}.{body}", "{id}.{timestamp}.{body}", "{id}{body}", "{timestamp}{body}",
        "{timestamp}:{id}:{body}", "{timestamp}.{id}{body}",
        "{method} {path} {id}.{timestamp}.{body}",
        "{body}{id}", "{body}.{timestamp}", "{id}.{body}.{timestamp}", "{timestamp}{body}{id}",
        "v0:{timestamp}:{body}", "{body}", "{id}{body}{timestamp}", "{timestamp}--{id}.{body}",
    ]
    private static let ids = [
        "ev_1", "1", "17", "1700000000", "a.b", "evt-1.1700000000", "1.1700000000.2", "x:y",
        "2026-11-25T00:00:00Z", "--", "a--1700000001",
    ]
    private static let times = [
        "1700000000", "1700000000123", "2026-11-25T00:00:00Z", "2026-11-25T00:00:00.123456Z",
        "17000000001700000000", "1700000000.5",
    ]

    /// The values of the variable parts, by name.
    private typealias Parts = [String: ArraySlice<UInt8>]

    @Test(arguments: templates) func `one signed text has one effect`(_ text: String) throws {
        var random = SeededGenerator(seed: text.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        let parts = try #require(SignedTemplate.parts(of: text))
        let scheme = HMACScheme(
            header: "X-Sign",
            content: SignedTemplate(
                parts: parts, timestamp: parts.contains(.timestamp) ? .header("X-Time") : nil,
                id: parts.contains(.id) ? .header("X-Id") : nil))
        var mapping = HMACWebhookTests.mapping
        if parts.contains(.id) { mapping.identity = [] }
        let provider = try HMACWebhookTests.provider(scheme, fields: mapping)
        var (accepted, tried) = (0, 0)
        for _ in 0..<Effort.share(of: 60) {
            let genuine: Parts = [
                "id": Array(random.pick(Self.ids).utf8)[...],
                "timestamp": Array(random.pick(Self.times).utf8)[...],
                "body": Self.body(&random)[...],
            ]
            let signed = try SignedContent(scheme.content, EndpointSettings(name: "")).parts(
                Self.delivery(genuine, ""), id: genuine["id"]!, timestamp: genuine["timestamp"]!,
                nil
            ).flatMap(\.self)
            let code = HMACKey(.sha256, HMACWebhookTests.secret).code(parts: [signed[...]])
            let signature = Hex.encode(code)
            guard let first = try? provider.receive(Self.delivery(genuine, signature)) else {
                continue
            }
            accepted += 1
            for moved in Self.readings(of: signed[...], as: parts[...]) {
                tried += 1
                guard let told = try? provider.receive(Self.delivery(moved, signature))
                else { continue }
                // A body that is no longer a document is not understood and has no effect.
                let isNothing = told.kind == "unknown" && told.effect == .none
                #expect(
                    told == first || isNothing,
                    "\(text): \(String(decoding: signed, as: UTF8.self))")
            }
        }
        #expect(accepted > 5 && tried >= accepted, "\(accepted) accepted, \(tried) tried")
    }

    /// All divisions of a signed text into the parts of a template.
    private static func readings(
        of text: ArraySlice<UInt8>, as parts: ArraySlice<SignedTemplate.Part>
    ) -> [Parts] {
        guard let part = parts.first else { return text.isEmpty ? [[:]] : [] }
        let rest = parts.dropFirst()
        switch part {
        case .literal(let bytes):
            guard text.starts(with: bytes) else { return [] }
            return readings(of: text.dropFirst(bytes.count), as: rest)
        // The sender cannot choose the method and the path.
        case .method: return readings(of: text.dropFirst(4), as: rest)
        case .path: return readings(of: text.dropFirst(2), as: rest)
        case .id, .timestamp, .body:
            let name = "\(part)"
            if rest.isEmpty { return [[name: text]] }
            return (text.startIndex...text.endIndex).flatMap { end in
                readings(of: text[end...], as: rest).map { reading in
                    reading.merging([name: text[..<end]]) { $1 }
                }
            }
        case .url, .secret, .header, .setting, .pointer: return []
        }
    }

    private static func delivery(_ parts: Parts, _ signature: String) -> SignedRequest {
        func text(_ name: String) -> String {
            String(decoding: parts[name] ?? [], as: UTF8.self)
        }
        return SignedRequest(
            path: "/h",
            headers: [("X-Sign", signature), ("X-Time", text("timestamp")), ("X-Id", text("id"))],
            body: text("body"))
    }

    private static func body(_ random: inout SeededGenerator) -> [UInt8] {
        let id = random.pick(["1", "a.b", "1700000000.{"])
        let type = random.pick(["x.paid", "x.failed"])
        let space = random.pick(["", " ", "\n", "\t "])
        let document =
            #"{"id":"\#(id)","type":"\#(type)","data":{"order":{"id":"R"},"charge":"C","#
            + #""amount":4200,"currency":"MYR"},"at":"2026-11-25T00:00:00Z"}"#
        return Array((space + document + random.pick(["", "\n", " "])).utf8)
    }
}

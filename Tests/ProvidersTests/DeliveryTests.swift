import Testing

@testable import Providers

@Suite struct DeliveryTests {
    private let delivery = SignedRequest(
        headers: [("Client-ID", "a"), ("x", "1"), ("X", "2"), ("client_id", "b")], body: "")

    @Test func `a header is found in any case and only by its name`() throws {
        #expect(try delivery.single("client-id").elementsEqual("a".utf8))
        #expect(try delivery.optional("y") == nil)
    }

    /// `@` and `[` are next to the letters, and `|` is `\` with the bit of lower case.
    @Test(arguments: [("@", "`"), ("[", "{"), ("\\", "|"), ("^", "~")])
    func `only letters have cases`(_ received: String, _ name: String) throws {
        #expect(try SignedRequest(headers: [(received, "1")], body: "").optional(name) == nil)
    }

    @Test func `a header that is there twice is refused`() {
        #expect(throws: Refusal.malformed("duplicate_header", "the header x appears twice")) {
            try delivery.single("x")
        }
    }

    @Test func `a header that is missing is a missing proof`() {
        #expect(throws: Refusal.unauthenticated("missing_header", "the header y is missing")) {
            try delivery.single("y")
        }
    }

    @Test func `an outbound target is taken apart at its first question mark`() {
        func parts(_ target: String) -> (String, String?) {
            let delivery = OutboundRequest(target: target, headers: [], body: []).delivery
            return (
                String(decoding: delivery.path, as: UTF8.self),
                delivery.query.map { String(decoding: $0, as: UTF8.self) }
            )
        }
        #expect(parts("/a") == ("/a", nil))
        #expect(parts("/a?") == ("/a", ""))
        #expect(parts("/a?b?c") == ("/a", "b?c"))
    }
}

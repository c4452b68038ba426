import Bytes
import Cryptography
import Records
import Testing

@testable import Redaction

@Suite struct RedactorTests {
    private func redacted(
        _ body: String, _ rules: [String] = [], target: String = "/ipn", headers: [Header] = [],
        hashKey: String? = nil
    ) throws -> RecordedRequest {
        var request = RecordedRequest(
            method: "POST", target: Array(target.utf8)[...], headers: headers,
            body: Array(body.utf8))
        let redactor = Redactor(
            try rules.map { try RedactionRule($0) }, hashKey: hashKey.map { Array($0.utf8) })
        redactor.redact(&request)
        return request
    }

    private func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (
            #"{"card":{"number":"4111111111111111","cvv":"123"},"amount":4200}"#,
            #"{"card":{"number":"411111******1111","cvv":"redacted"},"amount":4200}"#, 1, 1
        ),
        (
            #"{"n":4111111111111111, "x" : [ 5555555555554444 ]}"#,
            #"{"n":"411111******1111", "x" : [ "555555******4444" ]}"#, 2, 0
        ),
        (#"{"n":"\u0034111111111111111"}"#, #"{"n":"411111******1111"}"#, 1, 0),
        (#"{"transactionId":"4111111111111111"}"#, #"{"transactionId":"4111111111111111"}"#, 0, 0),
        (
            "number=4111+1111+1111+1111&cvc=999&id=4111111111111111",
            "number=4111%2011%2A%2A%20%2A%2A%2A%2A%201111&cvc=redacted&id=4111111111111111", 1, 1
        ),
        (
            "4111111111111111&x=4111111111111111",
            "411111%2A%2A%2A%2A%2A%2A1111&x=411111%2A%2A%2A%2A%2A%2A1111", 2, 0
        ),
        ("<n>4111111111111111</n>", "<n>411111******1111</n>", 1, 0),
        ("{not json 4111111111111111", "{not json 411111******1111", 1, 0),
    ])
    func `card numbers and security codes never stay`(
        body: String, expected: String, cards: Int, codes: Int
    ) throws {
        let request = try redacted(body)
        #expect(text(request.body) == expected)
        #expect((request.redaction?.cards ?? 0) == cards)
        #expect((request.redaction?.codes ?? 0) == codes)
        let digest = body == expected ? nil : SHA256.hash(Array(body.utf8))
        #expect(request.redaction?.bodySHA256 == digest)
    }

    @Test func `headers and the query are masked, too`() throws {
        let request = try redacted(
            "{}", target: "/ipn?pan=4111111111111111&a=b",
            headers: [
                Header("X-Note", "4111111111111111"), Header("Request-Id", "4111111111111111"),
            ])
        #expect(text(request.target) == "/ipn?pan=411111%2A%2A%2A%2A%2A%2A1111&a=b")
        #expect(text(request.headers[0].value) == "411111******1111")
        #expect(text(request.headers[1].value) == "4111111111111111")
        #expect(request.redaction?.cards == 2)
    }

    @Test(arguments: [
        (
            "/customer/email",
            #"{"customer":{"email":"redacted","name":"B"},"items":[{"name":"C"}]}"#
        ),
        (
            "/items/*/name",
            #"{"customer":{"email":"a@b","name":"B"},"items":[{"name":"redacted"}]}"#
        ),
        ("/items/0", #"{"customer":{"email":"a@b","name":"B"},"items":["redacted"]}"#),
        ("/*/name", #"{"customer":{"email":"a@b","name":"redacted"},"items":[{"name":"C"}]}"#),
        ("/customer", #"{"customer":"redacted","items":[{"name":"C"}]}"#),
        ("/absent/email", #"{"customer":{"email":"a@b","name":"B"},"items":[{"name":"C"}]}"#),
    ])
    func `a pointer names what is replaced`(rule: String, expected: String) throws {
        let body = #"{"customer":{"email":"a@b","name":"B"},"items":[{"name":"C"}]}"#
        let request = try redacted(body, [rule])
        #expect(text(request.body) == expected)
        #expect((request.redaction == nil) == (body == expected))
    }

    @Test func `pointers are read as RFC 6901 says, and empty values stay`() throws {
        let request = try redacted(#"{"a/b":"x","c~d":"y","n":null}"#, ["/a~1b", "/c~0d", "/n"])
        #expect(text(request.body) == #"{"a/b":"redacted","c~d":"redacted","n":null}"#)
        #expect(request.redaction?.values == 2)
    }

    @Test func `fields of forms, parameters and headers are replaced`() throws {
        let request = try redacted(
            "buyer%5Femail=a%40b&x=1", ["form:buyer_email", "query:who", "header:X-Peer"],
            target: "/ipn?who=me", headers: [Header("x-peer", "192.0.2.1"), Header("x-b", "1")])
        #expect(text(request.body) == "buyer%5Femail=redacted&x=1")
        #expect(text(request.target) == "/ipn?who=redacted")
        #expect(text(request.headers[0].value) == "redacted")
        #expect(text(request.headers[1].value) == "1")
        #expect(request.redaction?.values == 3)
    }

    @Test func `a body that cannot be read as its rules need is replaced as a whole`() throws {
        let request = try redacted(#"{"customer":{"email":"a@b"}"#, ["/customer/email"])
        #expect(text(request.body) == "redacted")
        #expect(request.redaction?.values == 1)
    }

    @Test func `equal values have equal hashes with the key, and others with another`() throws {
        let body = #"{"a":"x","b":"x","c":"y"}"#
        let once = text(try redacted(body, ["/a", "/b", "/c"], hashKey: "key").body)
        let parts = once.split(separator: "\"").filter { $0.hasPrefix("redacted-") }
        #expect(parts.count == 3 && parts[0] == parts[1] && parts[0] != parts[2])
        let hash = Hex.encode(
            Array(HMAC.code(.sha256, key: Array("key".utf8), message: Array("x".utf8)).prefix(8)))
        #expect(parts[0] == "redacted-\(hash)")
        #expect(text(try redacted(body, ["/a", "/b", "/c"], hashKey: "other").body) != once)
    }

    @Test func `an answer to an inquiry is redacted by the same rules`() throws {
        var inquiry = RecordedInquiry(
            trust: "tls", status: 200, headers: [],
            body: Array(#"{"email":"a@b","pan":"4111111111111111"}"#.utf8))
        Redactor([try RedactionRule("/email")]).redact(&inquiry)
        #expect(text(inquiry.body) == #"{"email":"redacted","pan":"411111******1111"}"#)
        #expect(inquiry.redaction?.values == 1 && inquiry.redaction?.cards == 1)
    }

    @Test(arguments: ["customer.email", "form:", "cookie:x", "", "/a~2"])
    func `a rule that means nothing is refused`(rule: String) {
        #expect(throws: RedactionRuleError.self) { _ = try RedactionRule(rule) }
    }
}

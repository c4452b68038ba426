import JSON
import Payments
import TestSupport
import Testing

@testable import Providers

/// `opp.json`: ciphertexts of the platform's pages, and the documented result codes.
@Suite struct OPPVectorTests {
    let file: JSONValue

    init() throws { file = try VectorFile.load("opp") }

    private func provider(_ vector: JSONValue) throws -> OpenPaymentPlatform {
        let key = try #require(vector["key_hex"]?.string)
        return try OpenPaymentPlatform(
            settings: EndpointSettings(name: "o", ["secrets": .secrets([Array("\(key)\n".utf8)])]))
    }

    private func delivery(_ vector: JSONValue, body: String? = nil) throws -> SignedRequest {
        try SignedRequest(
            headers: [
                ("X-Initialization-Vector", #require(vector["iv_hex"]?.string)),
                ("X-Authentication-Tag", #require(vector["tag_hex"]?.string)),
            ], body: body ?? #require(vector["body_hex"]?.string))
    }

    @Test func `every vector opens bare and wrapped in either case`() throws {
        for vector in try #require(file["vectors"]).elements {
            let provider = try provider(vector)
            let hex = try #require(vector["body_hex"]?.string)
            for body in try [
                hex, hex.lowercased(), "\(hex)\r\n", #require(vector["wrapped_json_body"]?.string),
                "  {\"encryptedBody\" : \"\(hex.lowercased())\", \"more\": 1}",
            ] {
                let verified = try provider.verify(delivery(vector, body: body))
                #expect(verified.key == "1")
                #expect(
                    String(decoding: verified.evidence.plaintext, as: UTF8.self)
                        == vector["plaintext"]?.string)
            }
        }
    }

    @Test func `every negative is refused`() throws {
        for vector in try #require(file["negative"]).elements {
            let refusal = try provider(vector).refusal(delivery(vector))
            #expect(refusal?.reason == "decryption_failed" && refusal?.kind == .unauthenticated)
        }
    }

    /// The portal's test button sends a success code and no payment.
    @Test func `the activation test is no payment`() throws {
        let vector = try #require(
            file["vectors"]?.elements.first { $0["id"]?.string == "own-activation-test" })
        let notification = try provider(vector).receive(delivery(vector))
        #expect(notification.kind == "test" && notification.effect == .none)
        #expect(notification.status == "webhook activation" && notification.flags.isEmpty)
    }

    @Test func `the documented payment is read`() throws {
        let vector = try #require(
            file["vectors"]?.elements.first { $0["id"]?.string == "own-docs-payment" })
        let notification = try provider(vector).receive(delivery(vector))
        #expect(notification.effect == .attempt(.authorized, .of(9200, "EUR")))
        #expect(notification.transaction == "8a829449515d198b01517d5601df5584")
        #expect(notification.occurred == Timestamp(iso8601: "2015-12-07T16:46:07Z"))
        #expect(
            notification.id
                == "PAYMENT::8a829449515d198b01517d5601df5584:000.000.000:"
                + "2015-12-07 16%3A46%3A07+0000")
    }

    /// Compares ipnd's patterns with the documented regular expressions, over every code that could
    /// differ.
    @Test func `the patterns are the documented expressions`() throws {
        let documented = try #require(file["result_code_groups"]).elements.map { group in
            // One expression has an unescaped dot; result codes have only dots there.
            let text = try #require(group["regex"]?.string).replacing("100.2", with: "100\\.2")
            return (name: try #require(group["group"]?.string), regex: try Regex(text))
        }
        #expect(documented.map(\.name) == OPPResultCode.groups.map(\.name))
        var random = SeededGenerator(seed: 4)
        var codes = try #require(file["examples"]).members.map(\.key)
        let parts = [
            "000", "100", "200", "300", "310", "350", "370", "380", "390", "396", "400", "500",
            "550", "600",
            "700", "800", "900", "999", "120", "121", "150", "170", "110", "111", "112", "030",
            "500", "701",
        ]
        for first in parts {
            for second in parts {
                for third in parts { codes.append("\(first).\(second).\(third)") }
            }
        }
        for _ in 0..<2000 {
            let numbers = (0..<3).map { _ in Int.random(in: 1000..<2000, using: &random) }
            codes.append(numbers.map { String(String($0).dropFirst()) }.joined(separator: "."))
        }
        for code in codes {
            let expected = documented.filter { code.prefixMatch(of: $0.regex) != nil }.map(\.name)
            #expect(OPPResultCode(text: code).groupNames == expected, "\(code)")
        }
    }

    @Test func `the worked examples are in their groups`() throws {
        for (code, groups) in try #require(file["examples"]).members {
            let expected = groups.elements.compactMap(\.string)
            #expect(Set(OPPResultCode(text: code).groupNames).isSuperset(of: expected), "\(code)")
        }
    }
}

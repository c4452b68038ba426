import Bytes
import Cryptography
import JSON
import Payments
import Testing

@testable import Providers

/// `ecommpay.json`: signatures from ecommpay's SDK tests and pages.
@Suite struct EcommpayVectorTests {
    let file: JSONValue

    init() throws { file = try VectorFile.load("ecommpay") }

    private func vectors(_ kinds: String...) throws -> [JSONValue] {
        let vectors = try #require(file["vectors"]).elements.filter {
            kinds.contains($0["kind"]?.string ?? "")
        }
        try #require(!vectors.isEmpty)
        return vectors
    }

    private func key(_ vector: JSONValue) throws -> [UInt8] {
        Array(try #require(vector["key"]?.string).utf8)
    }

    /// The body of a vector: an object, or a string that contains one.
    private func data(_ vector: JSONValue) throws -> [UInt8] {
        let data = try #require(vector["data"])
        return data.string.map { Array($0.utf8) } ?? Array(data.rawBytes)
    }

    @Test func `every callback verifies`() throws {
        for vector in try vectors("callback") {
            let id = try #require(vector["id"]?.string)
            let provider = try Ecommpay(
                settings: EndpointSettings(name: "e", ["secrets": .secrets([key(vector)])]))
            var delivery = SignedRequest(body: "")
            delivery.body = try data(vector)
            // One vector has the signature outside the body.
            if !delivery.bodyText.contains("\"signature\"") {
                let signature = try #require(vector["signature"]?.string)
                delivery.bodyText =
                    delivery.bodyText.dropLast() + ",\"signature\":\"\(signature)\"}"
            }
            #expect(provider.refusal(delivery) == nil, "\(id)")

            let other = try Ecommpay(
                settings: EndpointSettings(name: "e", ["secrets": .secrets([key(vector) + [0x0a]])])
            )
            #expect(other.refusal(delivery) == .signatureMismatch, "\(id)")
            var changed = delivery
            let signature = try #require(vector["signature"]?.string)
            changed.bodyText = delivery.bodyText.replacing(
                String(signature.prefix(8)), with: "AAAAAAAA")
            #expect(provider.refusal(changed) == .signatureMismatch, "\(id)")
        }
    }

    @Test func `every text is made as printed`() throws {
        for vector in try vectors("callback", "object") {
            let root = try JSONDocument(parsing: data(vector)).root
            let text = EcommpayText.text(try EcommpayLeaves(of: root), order: .natural)
            let expected = try #require(vector["string_to_sign"]?.string)
            #expect(String(decoding: text, as: UTF8.self) == expected)
            let code = HMAC.code(.sha512, key: try key(vector), message: text)
            #expect(Base64.encode(code) == vector["signature"]?.string)
        }
    }

    /// The public page prints `EUR` beside a signature that was made for `RUB`.
    @Test func `the misprinted signature does not verify`() throws {
        let published = try #require(
            vectors("string").first { $0["id"]?.string == "ios-page-rub" }?["signature"]?.string)
        for vector in try vectors("string") {
            let text = Array(try #require(vector["string_to_sign"]?.string).utf8)
            let code = Base64.encode(HMAC.code(.sha512, key: try key(vector), message: text))
            #expect((code == published) == (vector["verified"]?.bool == true))
        }
        func body(_ currency: String) -> String {
            """
            {"project_id":115,"payment_id":"payment1","payment_amount":30,"customer_id":"5",\
            "payment_currency":"\(currency)","signature":"\(published)"}
            """
        }
        let provider = try Ecommpay(
            settings: EndpointSettings(name: "e", ["secrets": .secrets([Array("12345".utf8)])]))
        // The signature is valid, but for the parameters of a payment page.
        #expect(provider.refusal(SignedRequest(body: body("RUB")))?.reason == "checkout_parameter")
        #expect(provider.refusal(SignedRequest(body: body("EUR"))) == .signatureMismatch)
    }

    /// The text that each SDK signs for unusual JSON.
    @Test func `the official SD ks are followed where they keep to the page`() throws {
        let exceptions: [String: Set<String>] = [
            "bools_null_empty": ["js", "java"],  // They fail.
            "prefix_digit_nested": ["js"],  // `localeCompare`, which depends on the locale.
            "prefix_dash": ["js"],
            "num_suffix": ["js"],
            "colon_key_top": ["js"],  // The page doubles the colon.
            "nested_sig_in_array": ["py", "go", "java"],  // The page drops every key of that name.
            "numeric_key": ["php"],  // PHP loses a prefix that is "0".
            "dup_key": ["php", "js", "py", "go", "java"],  // Such a body is refused.
        ]
        for row in try #require(file["sdk_divergence"]?["cases"]).elements {
            let id = try #require(row["id"]?.string)
            let json = Array(try #require(row["json"]?.string).utf8)
            guard id != "dup_key" else {
                #expect(throws: Refusal.self) { try JSONDocument.parse(json) }
                continue
            }
            let root = try JSONDocument(parsing: json).root
            let candidates = try EcommpayFixture.candidates(root)
            for sdk in ["php", "js", "py", "go", "java"]
            where exceptions[id]?.contains(sdk) != true {
                let expected = try #require(row["strings"]?[sdk]?.string)
                #expect(candidates.contains(expected), "\(id) \(sdk): \(candidates)")
            }
        }
    }
}

import JSON
import Payments
import Testing

@testable import Providers

/// `ecommpay-sdks.json`: texts and numbers in the form of each of ecommpay's SDKs.
@Suite struct EcommpayCandidatesTests {
    let file: JSONValue
    let provider: Ecommpay

    init() throws {
        file = try VectorFile.load("ecommpay-sdks")
        let secret = try #require(file["secret"]?.string)
        provider = try Ecommpay(
            settings: EndpointSettings(name: "e", ["secrets": .secrets([[1], Array(secret.utf8)])]))
    }

    /// Checks the signature only: these bodies have members that no callback has.
    private func evidence(_ delivery: SignedRequest) throws -> EcommpayEvidence {
        var work = VerificationWork(receivedBytes: delivery.body.count)
        return try provider.verify(delivery, isAnswer: true, work: &work).evidence
    }

    private func delivery(_ vector: JSONValue) throws -> SignedRequest {
        let body = try #require(vector["body"]?.string)
        let signature = try #require(vector["signature"]?.string)
        return SignedRequest(body: body.dropLast() + ",\"signature\":\"\(signature)\"}")
    }

    @Test func `what any SDK signs verifies`() throws {
        let cases = try #require(file["cases"]).elements.map(\.self)
        try #require(cases.count >= 60)
        for vector in cases {
            let text = try #require(vector["text"]?.string)
            #expect(throws: Never.self, "\(text)") { try evidence(delivery(vector)) }
        }
    }

    @Test func `what no SDK signs is refused`() throws {
        for vector in try #require(file["negatives"]).elements {
            let why = try #require(vector["why"]?.string)
            #expect(provider.refusal(try delivery(vector)) == .signatureMismatch, "\(why)")
        }
    }

    /// An amount is read as the signed number, in any form.
    @Test func `a number is read as what was signed`() throws {
        var read = 0
        for vector in try #require(file["cases"]).elements where vector["name"]?.word == "million" {
            let evidence = try evidence(delivery(vector))
            #expect(evidence.leaves?.number("payment:sum:amount") == "4200000")
            read += 1
        }
        #expect(read == 9)
    }

    /// The fraction that Go truncates is not signed, and so it is not read.
    @Test func `what was cut off is not read`() throws {
        let cut = try #require(
            file["cases"]?.elements.first {
                $0["name"]?.word == "fraction" && $0["numbers"]?.word == "goInteger"
            })
        var delivery = try delivery(cut)
        delivery.bodyText = delivery.bodyText.replacing("1.50", with: "1.99")
        let evidence = try evidence(delivery)
        #expect(evidence.leaves?.word("payment:rate") == "1")
    }

    /// For most callbacks all orders give the same text, and there is one candidate.
    @Test func `what makes no difference is left out`() throws {
        func count(_ json: String) throws -> Int {
            try EcommpayFixture.candidates(JSONDocument(parsing: Array(json.utf8)).root).count
        }
        #expect(try count(#"{"a":1,"b":{"c":"x","d":null},"e":[1,2]}"#) == 1)
        #expect(try count(#"{"k2":1,"k10":2}"#) == 2)
        #expect(try count(#"{"k1":1,"k2":1,"k10":2}"#) == 3)
        #expect(try count(#"{"a":1234567}"#) == 2)
        #expect(try count(#"{"a":1.50}"#) == 3)
        #expect(try count(#"{"k1":1.50,"k2":1e25,"k10":0.30000000000000004}"#) == 13)
    }
}

import Bytes
import JSON
import Payments
import Testing

@testable import Providers

/// A change of one signed byte invalidates an answer.
@Suite struct InquiryTamperingTests {
    @Test func `every byte of an answer of Antom counts`() throws {
        let vector = try #require(try InquiryVector.all("antom").first)
        let length = try vector.finding().facts.count
        #expect(length == 1)
        let body = Array((vector.exchanges[0]["response"]?["body"]?.string ?? "").utf8)
        for index in stride(from: 0, to: body.count, by: 5) {
            let finding = try vector.finding(change: { answer in
                var changed = answer.body
                changed[index] ^= 1
                answer = InquiryAnswer(
                    status: answer.status, headers: answer.headers, body: changed,
                    received: answer.received)
            })
            #expect(finding.facts.isEmpty && finding.trust == .none, "byte \(index)")
            #expect([.untrusted, .retry, .unreadable].contains(finding.verdict))
        }
    }

    @Test(arguments: ["client-id", "response-time", "signature"])
    func `every header of an answer of Antom counts`(_ name: String) throws {
        let vector = try #require(try InquiryVector.all("antom").first)
        let finding = try vector.finding(change: { answer in
            let headers = answer.headers.map { header in
                guard header.isNamed(name) else { return header }
                var value = Array(header.value)
                // Not at the end: padding may have bits that decoders ignore.
                value[value.count / 2] ^= 1
                return Header(name: header.name, value: value)
            }
            answer = InquiryAnswer(
                status: answer.status, headers: headers, body: answer.body,
                received: answer.received)
        })
        #expect(finding.verdict == .untrusted && finding.facts.isEmpty, "\(finding)")
    }

    /// Without a signature, trust rests on TLS; with one, it must be valid. The name of an empty
    /// list is not signed, and the list is not read.
    @Test func `every byte of an answer of ecommpay counts`() throws {
        let vector = try #require(try InquiryVector.all("ecommpay").first)
        let genuine = try vector.finding()
        let body = Array((vector.exchanges[0]["response"]?["body"]?.string ?? "").utf8)
        for index in body.indices {
            let finding = try vector.finding(change: { answer in
                var changed = answer.body
                changed[index] ^= 1
                answer = InquiryAnswer(
                    status: answer.status, headers: answer.headers, body: changed,
                    received: answer.received)
            })
            let saysMore = finding.facts != genuine.facts
            #expect(
                finding.verdict != .answered || finding.trust == .tls || !saysMore,
                "byte \(index): \(finding)")
        }
    }

    /// An object in place of the array has the same signed text.
    @Test func `operations that are no list are not overlooked`() throws {
        let body = try InquiryFixture.paid("ecommpay")
            .replacing("[{\"id\":7", with: "{\"0\":{\"id\":7").replacing("}]}", with: "}}}")
        let finding = try InquiryFixture("ecommpay").finding(body)
        #expect(finding.verdict == .unreadable && finding.reason == "operations_not_list")
    }
}

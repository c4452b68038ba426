import Bytes
import Payments
import ProviderFixtures
import Records
import Redaction
import Testing

@testable import Providers

/// How often an id, an amount or a time of a provider is taken for a card number, which would cost
/// the record its proof.
@Suite struct CardNumberDoubtTests {
    private static func mark(_ body: [UInt8], _ headers: [Header]) -> RedactionMark? {
        var request = RecordedRequest(
            method: "POST", target: Array("/ipn".utf8)[...], headers: headers, body: body)
        Redactor().redact(&request)
        return request.redaction
    }

    @Test(arguments: ProviderFixture.all)
    func `no vector is redacted`(_ fixture: ProviderFixture) throws {
        for vector in try fixture.signedVectors() {
            let mark = Self.mark(Array(vector.delivery.body), vector.delivery.headers)
            #expect(mark == nil, "\(vector.name)")
        }
    }

    @Test(arguments: try SenderTests.pairs())
    func `none of a thousand signed events is redacted`(_ pair: SenderTests.Pair) throws {
        var count = 0
        for number in 1...40 {
            for type in EventType.allCases {
                var event = SampleEvent.sample(type)
                event.number = number
                guard let sent = try? pair.sender.sign(event, path: "/ipn") else { continue }
                #expect(Self.mark(sent.body, sent.headers) == nil, "\(type) \(number)")
                count += 1
            }
        }
        #expect(count >= 40)
    }
}

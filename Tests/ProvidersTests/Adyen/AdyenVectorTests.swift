import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// `adyen.json`: genuine signatures of Adyen's test platform, known answers of its libraries, and
/// requests that its Python library signed.
@Suite struct AdyenVectorTests {
    let file: JSONValue

    init() throws { file = try VectorFile.load("adyen") }

    private func provider(_ vector: JSONValue) throws -> Adyen {
        try Adyen(settings: EndpointSettings(adyen: #require(vector["config"])))
    }

    private func delivery(_ vector: JSONValue) throws -> SignedRequest {
        try #require(vector["request"]).adyenDelivery()
    }

    private func vectors(_ list: String) throws -> [JSONValue] {
        try Array(#require(file[list]).elements)
    }

    @Test func `every vector is read as expected`() throws {
        for vector in try vectors("vectors") + vectors("traps") {
            guard vector["expected_refusal"] == nil else { continue }
            let name = Comment(rawValue: vector["id"]?.string ?? "")
            let provider = try provider(vector)
            let verified = try provider.verify(delivery(vector))
            #expect(verified.key == vector["key"]?.int64.map { String($0 + 1) }, name)
            let read = provider.notifications(in: verified.evidence)
            let expected = Array(try #require(vector["expected"]).elements)
            #expect(read.count == expected.count, name)
            for (read, expected) in zip(read, expected) {
                try check(read, expected, isLive: vector["config"]?["mode"]?.string == "live", name)
            }
        }
    }

    private func check(
        _ read: Notification, _ expected: JSONValue, isLive: Bool, _ name: Comment
    ) throws {
        let identity = try #require(expected["identity"]).elements.map(\.string)
        #expect(read.id == EventIdentity.text(identity), name)
        #expect(read.reference == expected["reference"]?.string, name)
        #expect(read.alias == expected["alias"]?.string, name)
        #expect(read.transaction == expected["transaction"]?.string, name)
        let date = expected["occurred"]?.string.flatMap { Timestamp(lenient: $0) }
        #expect(read.occurred == date, name)
        #expect(
            read.flags
                == (expected["flags"]?.elements.compactMap(\.string) ?? []).compactMap {
                    Flag(rawValue: $0)
                }, name)
        if isLive, expected["test"]?.bool == true {
            // Kept, and never counted.
            #expect(read.effect == .none, name)
            return
        }
        #expect(Self.word(read.effect) == expected["type"]?.string, name)
        if expected["type"]?.string != "canceled" {
            #expect(read.effect.id == expected["action"]?.string, name)
        }
        #expect(read.effect.amount?.currency.code == expected["currency"]?.string, name)
        #expect(
            read.effect.amount.map { String($0.minor) } == expected["minor"]?.string, name)
        #expect(read.reason?.message == expected["reason"]?["message"]?.string, name)
    }

    /// The vectors' word for an effect.
    static func word(_ effect: Effect) -> String? {
        switch effect {
        case .attempt(let status, _): status.name
        case .capture(_, let status, _): status == .succeeded ? "captured" : "capture_failed"
        case .refund(_, .succeeded, _): "refunded"
        case .refund(_, let status, _): "refund_\(status.name)"
        case .dispute(_, let status, _):
            [.open: "disputed", .won: "dispute_won", .lost: "charged_back"][status]
        // So that a cancellation or a reversed chargeback does not contradict what it undoes.
        case .reversal(.authorization, _, _, _): "canceled"
        case .reversal(.dispute, _, _, _): "dispute_won"
        case .reversal: "reversed"
        case .none: "ignored"
        case .doubt, .unclearRefund: nil
        }
    }

    @Test func `every negative is refused with its reason`() throws {
        for vector in try vectors("negatives") {
            let provider = try provider(vector)
            let refusal = try #require(provider.refusal(delivery(vector)))
            let name = Comment(rawValue: vector["id"]?.string ?? "")
            #expect(refusal.reason == vector["expected"]?.string, name)
            let status = Int64(provider.answer(.refused(refusal)).status)
            #expect(status == vector["http"]?.int64, name)
        }
    }

    @Test func `a trap that must not be believed is refused`() throws {
        var refused = 0
        for vector in try vectors("traps") {
            guard let reason = vector["expected_refusal"]?.string else { continue }
            #expect(try provider(vector).refusal(delivery(vector))?.reason == reason)
            refused += 1
        }
        #expect(refused > 0)
    }
}

import Payments
import Testing

@testable import AdminAPI

/// The sentence about a review has the numbers that contradict each other.
@Suite struct ReviewSentenceTests {
    private static func money(_ minor: Int64) -> Money? {
        Currency("MYR").map { Money(minor: minor, currency: $0) }
    }

    private static func sentence(
        _ flags: [String], _ edit: (inout OrderAnswer) -> Void = { _ in }
    ) -> String {
        var order = OrderAnswer()
        order.flags = flags
        edit(&order)
        return ReviewSentence.of(order)
    }

    @Test func `an unexpected amount names both`() throws {
        let expected = try #require(Self.money(9900))
        let paid = Self.sentence(["conflict", "amount_unexpected"]) {
            $0.expected = ExpectationAnswer(amount: expected, expires: nil)
            $0.captured = Self.money(990)
        }
        #expect(paid == "You expect 99.00 MYR, 9.90 MYR was paid.")
        let authorized = Self.sentence(["amount_unexpected"]) {
            $0.expected = ExpectationAnswer(amount: expected, expires: nil)
            ($0.captured, $0.authorized) = (Self.money(0), Self.money(9901))
        }
        #expect(authorized == "You expect 99.00 MYR, 99.01 MYR was authorised.")
        // One of two claims is the expected amount.
        let both = Self.sentence(["amount_unexpected", "amounts_differ"]) {
            $0.expected = ExpectationAnswer(amount: expected, expires: nil)
            $0.captured = Self.money(9900)
            $0.claims = [9900, 9901].compactMap(Self.money)
        }
        #expect(
            both == "You expect 99.00 MYR, and another amount was reported too: 99.00 MYR and "
                + "99.01 MYR.")
    }

    @Test func `other doubts name their sums and orders`() {
        let claims = Self.sentence(["conflict"]) { $0.claims = [1, 2, 3].compactMap(Self.money) }
        #expect(claims.hasSuffix("with other content: 0.01 MYR, 0.02 MYR and 0.03 MYR."))
        #expect(
            Self.sentence(["refund_ambiguous"]) { $0.candidates = [1, 2].compactMap(Self.money) }
                == "The reports about refunds allow several sums: 0.01 MYR or 0.02 MYR.")
        #expect(
            Self.sentence(["over_refunded"]) {
                ($0.refunded, $0.captured) = (Self.money(200), Self.money(100))
            } == "2.00 MYR was refunded, and 1.00 MYR was paid.")
        #expect(
            Self.sentence(["shared_id", "conflict"]) { $0.sharedWith = ["A", "B"] }
                == "The orders “A” and “B” claim a payment with the same id.")
        for flag in [
            "conflict", "shared_id", "refund_ambiguous", "over_refunded", "amounts_differ",
        ] {
            let text = Self.sentence([flag])
            #expect(text.hasSuffix(".") && !text.contains(":"), "\(text)")
        }
    }
}

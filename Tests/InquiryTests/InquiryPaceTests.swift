import Testing

@testable import Inquiry

@Suite struct InquiryPaceTests {
    private let place = InquiryPace.OrderPlace(endpoint: "e", reference: "R")

    private func turn(
        _ pace: inout InquiryPace, _ place: InquiryPace.OrderPlace, now: Int64
    ) -> Double? {
        let left = pace.left(for: place, pauseSeconds: 35, now: now)
        if left == nil { pace.note(place, now: now) }
        return left
    }

    @Test func `an order is asked about once in a pause`() {
        var pace = InquiryPace()
        #expect(turn(&pace, place, now: 0) == nil)
        #expect(turn(&pace, place, now: 1_000_000) == 34)
        #expect(turn(&pace, place, now: 34_999_999) == 0.000001)
        #expect(turn(&pace, place, now: 35_000_000) == nil)
        #expect(turn(&pace, place, now: 35_000_001) != nil)
    }

    @Test func `orders do not wait for each other`() {
        var pace = InquiryPace()
        #expect(turn(&pace, place, now: 0) == nil)
        for other in [("e", "R2"), ("e2", "R")] {
            let other = InquiryPace.OrderPlace(endpoint: other.0, reference: other.1)
            #expect(turn(&pace, other, now: 0) == nil)
        }
    }

    @Test func `the number of remembered orders is bounded`() {
        var pace = InquiryPace()
        for number in 0...(3 * InquiryPace.ordersMax) {
            let place = InquiryPace.OrderPlace(endpoint: "e", reference: "\(number)")
            #expect(turn(&pace, place, now: 0) == nil)
        }
        // The first is forgotten, the last is not.
        let first = InquiryPace.OrderPlace(endpoint: "e", reference: "0")
        let last = InquiryPace.OrderPlace(endpoint: "e", reference: "\(3 * InquiryPace.ordersMax)")
        #expect(turn(&pace, first, now: 1) == nil)
        #expect(turn(&pace, last, now: 1) != nil)
    }
}

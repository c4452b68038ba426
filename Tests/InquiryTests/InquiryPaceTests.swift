import Testing

@testable import Inquiry

@Suite struct InquiryPaceTests {
    private let place = InquiryPace.OrderPlace(endpoint: "e", reference: "R")

    @Test func anOrderIsAskedAboutOnceInAPause() {
        var pace = InquiryPace()
        #expect(pace.wait(for: place, pauseSeconds: 35, now: 0) == nil)
        #expect(pace.wait(for: place, pauseSeconds: 35, now: 1_000_000) == 34)
        #expect(pace.wait(for: place, pauseSeconds: 35, now: 34_999_999) == 0.000001)
        #expect(pace.wait(for: place, pauseSeconds: 35, now: 35_000_000) == nil)
        #expect(pace.wait(for: place, pauseSeconds: 35, now: 35_000_001) != nil)
    }

    @Test func ordersDoNotWaitForEachOther() {
        var pace = InquiryPace()
        #expect(pace.wait(for: place, pauseSeconds: 35, now: 0) == nil)
        for other in [("e", "R2"), ("e2", "R")] {
            let other = InquiryPace.OrderPlace(endpoint: other.0, reference: other.1)
            #expect(pace.wait(for: other, pauseSeconds: 35, now: 0) == nil)
        }
    }

    @Test func itRemembersSoManyAndNotMore() {
        var pace = InquiryPace()
        for number in 0...(3 * InquiryPace.ordersMax) {
            let place = InquiryPace.OrderPlace(endpoint: "e", reference: "\(number)")
            #expect(pace.wait(for: place, pauseSeconds: 35, now: 0) == nil)
        }
        // The first has given way, the last has not.
        let first = InquiryPace.OrderPlace(endpoint: "e", reference: "0")
        let last = InquiryPace.OrderPlace(endpoint: "e", reference: "\(3 * InquiryPace.ordersMax)")
        #expect(pace.wait(for: first, pauseSeconds: 35, now: 1) == nil)
        #expect(pace.wait(for: last, pauseSeconds: 35, now: 1) != nil)
    }
}

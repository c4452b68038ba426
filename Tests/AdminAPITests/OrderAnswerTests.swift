import JSON
import Payments
import Store
import Testing

@testable import AdminAPI

/// However much an order holds, an answer about it is bounded.
@Suite struct OrderPageTests {
    private static func page(_ count: Int, from offset: Int) -> String {
        var order = Order()
        for number in 100..<100 + count {
            order.apply(
                Notification(
                    id: "E\(number)", kind: "payment", status: "paid", reference: "R",
                    transaction: "T\(number)", effect: .attempt(.paid, nil)),
                factsMax: 10_000)
        }
        var writer = JSONWriter()
        OrderPage.write(
            OrderView(
                endpoint: "e", order: order, sequences: [1], laterCount: count > 100 ? 7 : 0,
                laterLast: 9),
            from: offset, now: Timestamp(microseconds: 0), to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func attempts(_ page: String) -> Int {
        page.split(separator: #"{"transaction":"#, omittingEmptySubsequences: false).count - 1
    }

    @Test func aShortListIsWholeWithoutCounts() {
        let page = Self.page(100, from: 0)
        #expect(Self.attempts(page) == 100)
        #expect(!page.contains(#""counts""#) && !page.contains(#""later""#))
    }

    @Test func aLongListComesInParts() {
        let first = Self.page(250, from: 0)
        #expect(Self.attempts(first) == 100 && first.contains(#""T100""#))
        #expect(first.contains(#""counts":{"aliases":0,"attempts":250,"#))
        #expect(first.contains(#""later":{"count":7,"last":9}"#))
        let last = Self.page(250, from: 200)
        #expect(Self.attempts(last) == 50 && last.contains(#""T349""#))
        #expect(Self.attempts(Self.page(250, from: 250)) == 0)
    }
}

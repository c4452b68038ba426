import JSON
import Payments
import Store
import Testing

@testable import AdminAPI

/// An answer about an order is bounded, however many facts the order has.
@Suite struct OrderAnswerTests {
    private static func answer(_ count: Int, from offset: Int) -> OrderAnswer {
        var order = Order()
        for number in 100..<100 + count {
            order.apply(
                Notification(
                    id: "E\(number)", kind: "payment", status: "paid", reference: "R",
                    transaction: "T\(number)", effect: .attempt(.paid, nil)),
                factsMax: 10_000)
        }
        return OrderAnswer(
            OrderView(
                endpoint: "e", order: order, sequences: [1], laterCount: count > 100 ? 7 : 0,
                laterLast: 9),
            from: offset, now: Timestamp(microseconds: 0))
    }

    private static func page(_ count: Int, from offset: Int) -> String {
        String(decoding: answer(count, from: offset).json(), as: UTF8.self)
    }

    private static func attempts(_ page: String) -> Int {
        page.split(separator: #"{"transaction":"#, omittingEmptySubsequences: false).count - 1
    }

    @Test func `a short list is complete and has no counts`() {
        let page = Self.page(100, from: 0)
        #expect(Self.attempts(page) == 100)
        #expect(!page.contains(#""counts""#) && !page.contains(#""later""#))
    }

    @Test func `a long list is read in parts`() {
        let first = Self.page(250, from: 0)
        #expect(Self.attempts(first) == 100 && first.contains(#""T100""#))
        #expect(first.contains(#""counts":{"aliases":0,"attempts":250,"#))
        #expect(first.contains(#""later":{"count":7,"last":9}"#))
        let last = Self.page(250, from: 200)
        #expect(Self.attempts(last) == 50 && last.contains(#""T349""#))
        #expect(Self.attempts(Self.page(250, from: 250)) == 0)
    }
}

/// Answers are written and read by the same list of members.
@Suite struct APIObjectTests {
    private static let money = Money(minor: 4200, currency: Currency("MYR")!)
    private static let time = Timestamp(iso8601: "2026-11-21T07:00:00.123456Z")!

    private static func again<Answer: APIObject>(_ answer: Answer) throws -> Answer? {
        Answer(json: try JSONDocument(parsing: answer.json()).root)
    }

    private static func text(_ answer: some APIObject) -> String {
        String(decoding: answer.json(), as: UTF8.self)
    }

    @Test func `an empty order has the required members`() {
        #expect(
            Self.text(OrderAnswer()) == """
                {"endpoint":"","reference":null,"status":"","amount":null,"authorized":null,\
                "captured":null,"refunded":null,"flags":[],"attempts":[],"refunds":[],\
                "disputes":[],"last":0,"sequences":[]}
                """)
    }

    @Test func `an order survives a round trip`() throws {
        var order = Order()
        order.apply(
            Notification(
                id: "E", kind: "payment", status: "paid", reference: "R", transaction: "T",
                effect: .attempt(.paid, Self.money)),
            factsMax: 256)
        var answer = OrderAnswer(
            OrderView(endpoint: "e", order: order, sequences: [1, 2]),
            repetitions: Repetitions(since: Self.time), now: Self.time)
        answer.expected = ExpectationAnswer(
            amount: Self.money, expires: Self.time, metadata: #"{"cart":7}"#)
        answer.reason = Reason(code: "51", message: "no funds")
        answer.refundClaims = [RefundClaimAnswer()]
        answer.later = LaterAnswer()
        answer.resolution = ResolutionAnswer()
        #expect(answer.captured == Self.money)
        #expect(try Self.again(answer) == answer)
    }

    @Test func `a listed order survives a round trip`() throws {
        var order = ListedOrder(
            first: 1, last: 2, endpoint: "e", status: "paid", created: Self.time,
            updated: Self.time)
        order.flags = ["conflict"]
        #expect(try Self.again(order) == order)
        order.reference = "R"
        order.expected = Self.money
        order.metadata = #"{"a":[1,null]}"#
        #expect(try Self.again(order) == order)
        #expect(Self.text(order).contains(#""metadata":{"a":[1,null]}}"#))
        #expect(order.shown(metadata: false).metadata == nil)
        var list = OrderListAnswer()
        (list.orders, list.next, list.indexed) = ([order], "7", 9)
        #expect(try Self.again(list) == list)
    }

    @Test func `deliveries survive a round trip`() throws {
        var delivery = DeliveryAnswer()
        delivery.last = DeliveryAttemptAnswer()
        delivery.last?.outcome.status = 503
        delivery.due = Self.time
        var list = DeliveryListAnswer()
        list.deliveries = [delivery, DeliveryAnswer()]
        #expect(try Self.again(list) == list)
        #expect(!Self.text(list).contains(#""detail""#))
        var destination = DestinationAnswer()
        destination.attempts = ["timeout": 1, "delivered": 2]
        #expect(Self.text(destination).contains(#""attempts":{"delivered":2,"timeout":1}"#))
        #expect(try Self.again(destination) == destination)
    }

    @Test func `a page of the feed keeps the records as they came`() throws {
        let page = #"{"store":"s","gap":{"from":1,"to":6},"events":[{ "a":1.50 },7],"next":9}"#
        let answer = try #require(
            EventPageAnswer(json: try JSONDocument(parsing: Array(page.utf8)).root))
        #expect(answer.gap == GapAnswer(1...6))
        #expect(answer.events.map(\.rawBytes).first == Array(#"{ "a":1.50 }"#.utf8)[...])
        #expect(Self.text(answer) == page)
    }

    @Test func `an error survives a round trip`() throws {
        let problem = Problem(409, "order_changed", "it is an alias", aliasOf: "R")
        let answer = ProblemAnswer(problem)
        #expect(answer.title == "order changed")
        #expect(try Self.again(answer) == answer)
        #expect(problem.response.body == answer.json())
    }

    /// A reader ignores members of later versions, and refuses what is not an answer.
    @Test(arguments: [
        (#"{"matched":1,"changed":2}"#, true), (#"{"matched":1,"changed":2,"new":[]}"#, true),
        (#"{"matched":1}"#, false), (#"{"matched":1,"changed":"2"}"#, false), ("[]", false),
    ])
    func `a required member must be present`(_ text: String, _ isRead: Bool) throws {
        let root = try JSONDocument(parsing: Array(text.utf8)).root
        #expect((DeliveryChangeAnswer(json: root) != nil) == isRead)
    }

    @Test func `the shown members of a record are read`() {
        let record = #"""
            {"schema":1,"sequence":42,"received":"2026-11-21T07:00:00.123456Z","endpoint":"antom",\#
            "provider":"antom","key":"1","outcome":"conflict","conflictsWith":41,"flags":\#
            ["conflict"],"event":{"id":"I","kind":"payment","status":"paid","transaction":"T",\#
            "effect":{"on":"attempt","status":"paid","amount":{"minor":4200,"currency":"MYR"}}},\#
            "order":{"status":"review","previous":"paid"},"request":{"method":"POST",\#
            "target":"/ipn","headers":\#
            [["a","b"]],"body":"{}"},"peer":"203.0.113.7"}
            """#
        let event = EventAnswer(Array(record.utf8))
        #expect(event?.sequence == 42 && event?.received == Self.time)
        #expect(event?.event.effect?.amount == Self.money && event?.conflictsWith == 41)
        #expect(event?.order?.previous == "paid" && event?.isNotification == true)
        #expect(event?.request?.headers == [["a", "b"]] && event?.request?.body == "{}")
        #expect(EventAnswer(Array(#"{"sequence":42}"#.utf8)) == nil)
    }
}

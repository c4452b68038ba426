import Payments
import Records
import Testing

@testable import Delivery

struct FeedEventTests {
    private static func record(
        _ order: String, request: String = "",
        event: String = #"{"id":"e","kind":"payment","status":"paid"}"#
    ) -> [UInt8] {
        Array(
            (#"{"schema":1,"sequence":7,"received":"2026-11-21T07:00:00.000000Z","#
                + #""endpoint":"antom","provider":"antom","key":"1","outcome":"recorded","#
                + #""flags":[],"event":"# + event + order + request + "}").utf8)
    }

    @Test func `an event has its order and the values that filters compare`() throws {
        let order = #","order":{"reference":"R-1","status":"paid","transaction":"PAY-1"}"#
        let request = #","request":{"method":"POST","body":"x"},"peer":"::1""#
        let event = try #require(try FeedEvent(Self.record(order, request: request)))
        #expect(event.sequence == 7)
        #expect(event.endpoint == "antom")
        #expect(event.kind == "payment")
        #expect(event.status == "paid")
        #expect(event.orders == [OrderLabel(endpoint: "antom", reference: "R-1")])
        #expect(event.record == Self.record(order))
    }

    @Test func `an order without a reference is named by its id`() throws {
        let order = #","order":{"status":"paid","transaction":"PAY-1"}"#
        let event = try #require(try FeedEvent(Self.record(order)))
        #expect(event.reference == "PAY-1")
        #expect(event.orders == [OrderLabel(endpoint: "antom", id: "PAY-1")])
    }

    @Test func `joined orders have all their labels`() throws {
        let order =
            #","order":{"reference":"R-1","status":"paid","absorbed":["R-2"],"#
            + #""absorbedIDs":["PAY-9"]}"#
        let event = try #require(try FeedEvent(Self.record(order)))
        #expect(
            event.orders == [
                OrderLabel(endpoint: "antom", reference: "R-1"),
                OrderLabel(endpoint: "antom", reference: "R-2"),
                OrderLabel(endpoint: "antom", id: "PAY-9"),
            ])
    }

    @Test func `records without an order are skipped`() throws {
        #expect(try FeedEvent(Self.record("")) == nil)
    }

    /// A stored card or a series of debits is named by its id and has a separate type.
    @Test func `an agreement is named by its id`() throws {
        let agreement = #"{"id":"e","kind":"token","status":"Success","agreement":"REQ-1"}"#
        let event = try #require(try FeedEvent(Self.record("", event: agreement)))
        #expect(event.type == "agreement.success" && event.reference == "REQ-1")
        #expect(event.orders == [OrderLabel(endpoint: "antom", agreement: "REQ-1")])
        var filter = DestinationFilter()
        #expect(filter.admits(event))
        filter.kinds = ["token"]
        #expect(filter.admits(event))
        filter.statuses = ["success"]
        #expect(!filter.admits(event), "these are statuses of orders")
        let instalment = #","order":{"reference":"R-1","status":"paid"}"#
        #expect(
            try FeedEvent(Self.record(instalment, event: agreement))?.type == "order.paid",
            "what is about an order is the order's news")
    }

    /// Only acts that change the order are delivered.
    @Test(arguments: [
        ("resolve", true), ("correct", true), ("split", true), ("inquire", false),
        ("retry", false),
    ])
    func `acts that change the order are delivered`(act: String, isDelivered: Bool) throws {
        let event = #"{"id":"e","kind":"action","status":"\#(act)","action":{"by":"admin"}}"#
        let order = #","order":{"reference":"R-1","status":"paid"}"#
        let told = try FeedEvent(Self.record(order, event: event))
        #expect((told != nil) == isDelivered)
    }

    @Test func `a filter passes the event by which an order leaves a status that it shows`() throws
    {
        func event(_ members: String) throws -> FeedEvent {
            try #require(try FeedEvent(Self.record(#","order":{"reference":"R-1",\#(members)}"#)))
        }
        let filter = DestinationFilter(statuses: ["paid"], kinds: ["payment"])
        for status in ["partially_refunded", "refunded", "charged_back", "disputed", "review"] {
            var leaving = try event(#""status":"\#(status)","previous":"paid""#)
            leaving.kind = "refund"
            #expect(filter.admits(leaving), "\(status)")
            var elsewhere = leaving
            elsewhere.endpoint = "other"
            var narrow = filter
            narrow.endpoints = ["antom"]
            #expect(!narrow.admits(elsewhere))
        }
        #expect(try !filter.admits(event(#""status":"refunded","previous":"disputed""#)))
        #expect(try !filter.admits(event(#""status":"review""#)))
        #expect(try filter.admits(event(#""status":"review","absorbedIDs":["T-1"]"#)))
        var capture = try event(#""status":"paid","previous":"paid""#)
        capture.kind = "capture"
        #expect(!filter.admits(capture), "the order stays paid")
        var kinds = DestinationFilter(kinds: ["payment"])
        var refund = try event(#""status":"refunded","previous":"paid""#)
        refund.kind = "refund"
        #expect(!kinds.admits(refund), "kinds alone are what was asked for")
        kinds.kinds = ["refund"]
        #expect(kinds.admits(refund))
    }

    @Test func `filters compare endpoints, statuses and kinds`() throws {
        let event = try #require(
            try FeedEvent(Self.record(#","order":{"reference":"R-1","status":"paid"}"#)))
        var filter = DestinationFilter()
        #expect(filter.admits(event))
        filter.endpoints = ["b"]
        #expect(!filter.admits(event))
        filter.endpoints = ["antom"]
        filter.statuses = ["refunded"]
        #expect(!filter.admits(event))
        filter.statuses = nil
        filter.kinds = ["refund"]
        #expect(!filter.admits(event))
    }
}

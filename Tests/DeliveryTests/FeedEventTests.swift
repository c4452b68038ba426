import Payments
import Records
import Testing

@testable import Delivery

struct FeedEventTests {
    private static func record(_ order: String, request: String = "") -> [UInt8] {
        Array(
            (#"{"schema":1,"sequence":7,"received":"2026-11-21T07:00:00.000000Z","#
                + #""endpoint":"antom","provider":"antom","key":"1","outcome":"recorded","#
                + #""flags":[],"event":{"id":"e","kind":"payment","status":"paid"}"#
                + order + request + "}").utf8)
    }

    @Test func anEventKnowsItsOrderAndWhatFiltersAskFor() throws {
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

    @Test func anOrderWithoutAReferenceIsKnownByItsID() throws {
        let order = #","order":{"status":"paid","transaction":"PAY-1"}"#
        let event = try #require(try FeedEvent(Self.record(order)))
        #expect(event.reference == "PAY-1")
        #expect(event.orders == [OrderLabel(endpoint: "antom", id: "PAY-1")])
    }

    @Test func ordersThatAreOneFromNowOnAreNamedTogether() throws {
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

    @Test func whatIsAboutNoOrderIsNotTold() throws {
        #expect(try FeedEvent(Self.record("")) == nil)
    }

    @Test func filtersTakeEndpointsStatusesAndKinds() {
        var filter = DestinationFilter()
        #expect(filter.admits(endpoint: "a", status: "paid", kind: "payment"))
        filter.endpoints = ["b"]
        #expect(!filter.admits(endpoint: "a", status: "paid", kind: "payment"))
        filter.endpoints = ["a"]
        filter.statuses = ["refunded"]
        #expect(!filter.admits(endpoint: "a", status: "paid", kind: "payment"))
        filter.statuses = nil
        filter.kinds = ["refund"]
        #expect(!filter.admits(endpoint: "a", status: "paid", kind: "payment"))
    }
}

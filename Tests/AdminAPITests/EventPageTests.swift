import Testing

@testable import AdminAPI

@Suite struct EventPageTests {
    private static func page(after: UInt64, first: UInt64?) -> EventPage {
        var page = EventPage(after: after)
        if let first { page.events.append(EventPage.Event(sequence: first, record: [])) }
        return page
    }

    @Test func whatIsMissingBeforeTheFirstRecordIsAGap() {
        #expect(Self.page(after: 0, first: 42).gap == 1...41)
        #expect(Self.page(after: 40, first: 42).gap == 41...41)
        #expect(Self.page(after: 41, first: 42).gap == nil)
        #expect(Self.page(after: 0, first: nil).gap == nil)
    }

    @Test func aGapIsAnObject() {
        #expect(
            String(decoding: (1...41 as ClosedRange<UInt64>).json, as: UTF8.self)
                == #"{"from":1,"to":41}"#)
    }
}

import Store
import Testing

@testable import AdminAPI

@Suite struct EventPageTests {
    private static func page(after: UInt64, first: UInt64?) -> RecordPage {
        var page = RecordPage(after: after)
        if let first { page.append(RecordPage.Record(sequence: first, bytes: [])) }
        return page
    }

    @Test func `missing records before the first one are a gap`() {
        #expect(Self.page(after: 0, first: 42).gap == 1...41)
        #expect(Self.page(after: 40, first: 42).gap == 41...41)
        #expect(Self.page(after: 41, first: 42).gap == nil)
        #expect(Self.page(after: 0, first: nil).gap == nil)
    }

    @Test func `a gap is an object`() {
        #expect(
            String(decoding: GapAnswer(1...41).json(), as: UTF8.self) == #"{"from":1,"to":41}"#)
    }
}

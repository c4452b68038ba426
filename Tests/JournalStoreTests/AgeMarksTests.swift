import Payments
import Testing

@testable import JournalStore

@Suite struct AgeMarksTests {
    private static let day: Int64 = 86_400_000_000

    private func time(day: Int64, _ microseconds: Int64 = 0) -> Timestamp {
        Timestamp(microseconds: day * Self.day + microseconds)
    }

    @Test func `marks are a day apart`() {
        var ages = AgeMarks()
        ages.note(1, received: time(day: 0))
        ages.note(2, received: time(day: 0, 5))
        ages.note(9, received: time(day: 1))
        ages.note(12, received: time(day: 1, 7))
        ages.note(20, received: time(day: 3))
        #expect(ages.marks.map(\.sequence) == [1, 9, 20])
    }

    @Test func `a record is taken for as old as the mark before it`() {
        var ages = AgeMarks()
        #expect(ages.received(notAfter: 5) == nil)
        ages.note(2, received: time(day: 0))
        ages.note(9, received: time(day: 1))
        #expect(ages.received(notAfter: 1) == nil)
        #expect(ages.received(notAfter: 2) == time(day: 0))
        #expect(ages.received(notAfter: 8) == time(day: 0))
        #expect(ages.received(notAfter: 9) == time(day: 1))
        #expect(ages.received(notAfter: 1000) == time(day: 1))
    }

    @Test func `only what is surely older may be forgotten`() {
        var ages = AgeMarks()
        for index in 0..<10 {
            ages.note(UInt64(index * 100 + 1), received: time(day: Int64(index)))
        }
        #expect(ages.firstKept(since: time(day: -1)) == nil)
        #expect(
            ages.firstKept(since: time(day: 0, 1)) == nil, "the first record is all that is old")
        #expect(ages.firstKept(since: time(day: 3)) == 201)
        #expect(ages.firstKept(since: time(day: 3, 1)) == 301)
        #expect(ages.firstKept(since: time(day: 99)) == 901)
        ages.forget(before: 301)
        #expect(ages.marks.first?.sequence == 301)
    }

    @Test func `a clock that is set back makes no mark`() {
        var ages = AgeMarks()
        ages.note(1, received: time(day: 10))
        ages.note(2, received: time(day: 2))
        ages.note(3, received: time(day: 9))
        ages.note(4, received: time(day: 11))
        #expect(ages.marks.map(\.sequence) == [1, 4])
    }
}

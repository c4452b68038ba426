import Payments
import Store
import Synchronization
import TestSupport
import Testing

@testable import Pages

/// The paid orders of the day are read seldom, however often a page reloads.
@Suite struct PaidFiguresTests {
    private final class CountedLists: OrderLists {
        private let state = Mutex((reads: 0, fails: false))

        var reads: Int { state.withLock { $0.reads } }
        func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

        var isBehind: Bool { false }
        func sequence() async throws(ReadFailure) -> UInt64 { 0 }
        func page(_ query: OrderQuery, limit: Int) async throws(ReadFailure) -> OrderListPage {
            OrderListPage(orders: [], limit: limit)
        }
        func overdueCount() async -> Int? { nil }
        func paidHours(since time: Timestamp) async throws(ReadFailure) -> PaidHours {
            let fails = state.withLock { state in
                state.reads += 1
                return state.fails
            }
            if fails { throw ReadFailure("index_absent", "it is being rebuilt") }
            return PaidHours(rows: [], isCut: reads > 1)
        }
    }

    private let clock = ManualClock()
    private let lists = CountedLists()
    private let day = Timestamp(microseconds: 0)

    @Test func `they are read again after ten seconds and for another day`() async throws {
        let figures = PaidFigures(lists, clock: clock)
        for _ in 0..<20 { _ = try await figures.hours(since: day) }
        #expect(lists.reads == 1)
        clock.advance(seconds: Double(PaidFigures.maxAgeSeconds))
        #expect(try await figures.hours(since: day).isCut)
        _ = try await figures.hours(since: Timestamp(microseconds: 1))
        #expect(lists.reads == 3)
    }

    @Test func `a failure is not kept`() async throws {
        let figures = PaidFigures(lists, clock: clock)
        lists.fail(true)
        await #expect(throws: ReadFailure.self) { try await figures.hours(since: day) }
        lists.fail(false)
        _ = try await figures.hours(since: day)
        #expect(lists.reads == 2)
    }
}

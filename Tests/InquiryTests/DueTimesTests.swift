import Payments
import Providers
import Store
import Testing

@testable import Inquiry

@Suite struct DueTimesTests {
    private static let second: Int64 = 1_000_000
    private static let day: Int64 = 86_400 * second
    private static let start: Int64 = 1_790_000_000 * second

    private static func order(_ updated: Int64, expires: Int64? = nil) -> OpenOrder {
        OpenOrder(
            first: 1, last: 1, reference: "R", updated: Timestamp(microseconds: updated),
            expires: expires.map(Timestamp.init(microseconds:)))
    }

    private static func holds(_ spans: [OpenOrderSpan], _ updated: Int64) -> Bool {
        spans.contains {
            $0.after.microseconds < updated && updated <= $0.through.microseconds
        }
    }

    /// Looks every ten seconds for a number of days; returns the times at which the order was due.
    private static func asked(
        updated: Int64, from start: Int64, days: Int64, restarts: Set<Int64> = []
    ) -> [Int64] {
        var times = DueTimes(InquirySchedule())
        var found: [Int64] = []
        var now = start
        while now < start + days * day {
            if restarts.contains((now - start) / second) { times = DueTimes(InquirySchedule()) }
            times.advance(to: now, oldest: updated)
            let isFound = holds(times.rest, updated)
            times.keep([])
            let order = order(updated)
            if isFound, let due = times.due(of: order, now: now), found.last != due {
                found.append(due)
            }
            now += 10 * second
        }
        return found.map { ($0 - updated) / second }
    }

    @Test func `an order is due at each time of the schedule, and then daily`() {
        let found = Self.asked(updated: Self.start, from: Self.start, days: 4)
        #expect(
            found == [
                60, 120, 300, 900, 3600, 21_600, 108_000, 194_400, 280_800,
            ])
    }

    /// A restart asks once about orders that were due before; daily repetitions continue.
    @Test func `a restart misses nothing and asks at most once more`() {
        let whole = Self.asked(updated: Self.start, from: Self.start, days: 4)
        let restarts: Set<Int64> = [70, 3000, 30_000, 200_000]
        #expect(
            Self.asked(updated: Self.start, from: Self.start, days: 4, restarts: restarts) == whole)
        // Down for 20 hours: one question for all times that were missed.
        let late = Self.asked(
            updated: Self.start, from: Self.start + 20 * 3600 * Self.second, days: 3)
        #expect(late == [21_600, 108_000, 194_400, 280_800])
        // An old order is not asked about at a start, but at its time.
        let old = Self.asked(updated: Self.start - 9 * Self.day, from: Self.start, days: 2)
        #expect(old == [Self.day * 9 / Self.second + 21_600, Self.day * 10 / Self.second + 21_600])
    }

    @Test func `unread spans come first`() throws {
        var times = DueTimes(InquirySchedule())
        times.advance(to: Self.start, oldest: Self.start - 3600 * Self.second)
        let left = try #require(times.rest.last)
        times.keep([left])
        times.advance(to: Self.start + Self.day, oldest: Self.start)
        #expect(times.rest == [left] && times.through == Self.start)
    }

    @Test func `without open orders there are no spans`() {
        var times = DueTimes(InquirySchedule())
        times.advance(to: Self.start, oldest: nil)
        #expect(times.rest.isEmpty)
        // Not due yet.
        times.advance(to: Self.start + 1, oldest: Self.start - 50 * Self.second)
        #expect(times.rest.isEmpty)
        // The work is bounded, however old the oldest order is.
        times.advance(to: Self.start + 2, oldest: 0)
        #expect(times.rest.count <= DueTimes.repetitionsMax + 6)
    }

    @Test func `setting the clock back repeats no question`() {
        var times = DueTimes(InquirySchedule())
        times.advance(to: Self.start, oldest: Self.start - 3600 * Self.second)
        times.keep([])
        times.advance(to: Self.start - 3600 * Self.second, oldest: Self.start - 7200 * Self.second)
        let widest = times.rest.map { $0.through.microseconds - $0.after.microseconds }.max() ?? 0
        #expect(widest <= DueTimes.overlapMicroseconds)
    }

    @Test func `the schedule ends thirty days after the expiry`() {
        let times = DueTimes(InquirySchedule())
        let order = Self.order(Self.start, expires: Self.start + 5 * Self.day)
        #expect(!times.isLast(Self.start + 60 * Self.second, of: order))
        #expect(!times.isLast(Self.start + 33 * Self.day, of: order))
        #expect(times.isLast(Self.start + 34 * Self.day + Self.second, of: order))
        // Without an expiry, after the last change.
        #expect(times.isLast(Self.start + 29 * Self.day + Self.second, of: Self.order(Self.start)))
        #expect(
            times.activeSince(Self.start + 40 * Self.day)
                == Timestamp(microseconds: Self.start + 10 * Self.day))
    }
}

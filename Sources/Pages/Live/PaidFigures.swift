import AdminAPI
import Payments
import Platform
import Store
import Synchronization

/// The paid orders of the last hours, read from the lists at most every ten seconds: a page that
/// follows a busy server reloads several times a second, and reading them takes tens of
/// milliseconds.
final class PaidFigures: Sendable {
    static let maxAgeSeconds = 10

    private struct Known {
        var read: MonotonicTime
        var since: Timestamp
        var paid: PaidHours
    }

    private let lists: any OrderLists
    private let clock: any Clock
    private let turns = Turns(1)
    private let known = Mutex<Known?>(nil)

    init(_ lists: any OrderLists, clock: any Clock) {
        self.lists = lists
        self.clock = clock
    }

    /// Throws while the lists cannot be read.
    func hours(since time: Timestamp) async throws(ReadFailure) -> PaidHours {
        if let fresh = fresh(time) { return fresh }
        return try await turns.take { () throws(ReadFailure) in
            // Another request may have read them meanwhile.
            if let fresh = fresh(time) { return fresh }
            let read = clock.now
            let paid = try await lists.paidHours(since: time)
            known.withLock { $0 = Known(read: read, since: time, paid: paid) }
            return paid
        }
    }

    private func fresh(_ time: Timestamp) -> PaidHours? {
        known.withLock { known in
            guard let known, known.since == time,
                clock.now < known.read.advanced(seconds: Self.maxAgeSeconds)
            else { return nil }
            return known.paid
        }
    }
}

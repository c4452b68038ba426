import Platform
import PostgreSQL

/// Drops partitions whose events are old, and forgets old events, on a separate connection and
/// thread. Every instance runs it; an advisory lock lets one at a time work.
///
/// The rules are in the tables' functions (`drop_event_partition`, `forget_events`), so that the
/// user need not own the tables. Postponed work is tried again in the next run.
struct DatabaseRetention {
    private let source: LinkSource
    private let options: DatabaseOptions
    private let signal: RetentionSignal
    private let clock: any Clock

    /// Number of events that one transaction forgets.
    static let portion: Int64 = 5000

    init(
        _ source: LinkSource, options: DatabaseOptions, signal: RetentionSignal,
        clock: any Clock
    ) {
        self.clock = clock
        self.source = source
        self.options = options
        self.signal = signal
    }

    /// Runs at once, then regularly, until the store is closed.
    func run() {
        var last: SeenTime?
        repeat { look(&last) } while signal.wait(seconds: options.retentionSeconds)
    }

    /// The last result of `see_time`, and when it was returned by the monotonic clock.
    private struct SeenTime {
        let text: String
        let at: MonotonicTime
    }

    /// Reports to the tables how much time has passed: the server's clock alone is not trusted.
    private func seeTime(_ link: any DatabaseLink, _ last: inout SeenTime?) throws(PostgresError) {
        let now = clock.now
        let elapsed = last.map { Int64(now.nanoseconds(since: $0.at) / 1_000_000_000) } ?? 0
        let command = Command(
            "SELECT see_time($1::text::timestamptz, $2::bigint::float8)::text"
        ).with(last?.text).with(elapsed)
        last = SeenTime(text: try link.run(command, until: deadline).text(0, 0), at: now)
    }

    private func look(_ last: inout SeenTime?) {
        do throws(PostgresError) {
            let link = try source.open()
            defer { link.close() }
            try seeTime(link, &last)
            try drop(link)
            while try Self.forget(link, days: options.dedupRetainDays, until: deadline) {
                guard signal.wait(seconds: 0) else { return }
            }
        } catch {
            // The next run finds the same work.
            return
        }
    }

    private var deadline: MonotonicTime { clock.now.advanced(seconds: options.readSecondsMax) }

    /// Drops every partition that is old enough.
    private func drop(_ link: any DatabaseLink) throws(PostgresError) {
        guard options.retainDays > 0 else { return }
        var destinations = Column(.text)
        for name in options.destinations { destinations.append(name) }
        let command = Command(
            "SELECT coalesce(drop_event_partition($1::bigint::int, $2::bigint::int, $3), 0)"
        ).with(Int64(options.retainDays)).with(Int64(options.retainUndeliveredDays))
            .with(destinations)
        while try link.run(command, until: deadline).integer(0, 0) > 0 {}
    }

    /// Forgets a portion; returns whether there may be more.
    private static func forget(
        _ link: any DatabaseLink, days: Int, until deadline: MonotonicTime
    ) throws(PostgresError) -> Bool {
        let command = Command("SELECT forget_events($1::bigint::int, $2::bigint::int)")
        let gone = try link.run(command.with(Int64(days)).with(portion), until: deadline)
        return try gone.integer(0, 0) >= portion
    }
}

/// Stops the retention's thread.
final class RetentionSignal: Sendable {
    private let isClosed: Monitor<Bool>
    private let clock: any Clock

    init(clock: any Clock) {
        self.clock = clock
        isClosed = Monitor(false, clock: clock)
    }

    func close() {
        isClosed.withLock { $0 = true }
        isClosed.wakeAll()
    }

    /// Waits; false if the store is closed.
    func wait(seconds: Int) -> Bool {
        let end = clock.now.advanced(seconds: seconds)
        return isClosed.wait { isClosed in
            if isClosed { return .go(false) }
            return clock.now >= end ? .go(true) : .wait(until: end)
        }
    }
}

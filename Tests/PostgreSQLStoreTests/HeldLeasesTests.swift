import Platform
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLStore

/// A process's trust in its leases, without a query to the database.
@Suite struct HeldLeasesTests {
    private let clock: ManualClock
    private let held: HeldLeases
    private let later: MonotonicTime
    private let past: MonotonicTime
    private let lost = Losses()

    private final class Losses: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock(\.self) }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    init() {
        let clock = ManualClock()
        self.clock = clock
        held = HeldLeases(clock: clock)
        later = clock.now.advanced(seconds: 3600)
        past = clock.now
    }

    private func lease(_ fence: Int64, _ name: String = "a") -> Lease {
        Lease(name: name, holder: "me", fence: fence)
    }

    private func add(_ lease: Lease, until end: MonotonicTime? = nil) {
        held.add(lease, until: end ?? later) { [lost] in lost.add("\(lease.name)\(lease.fence)") }
    }

    /// The lease has not been checked yet: the holder's own clock is sufficient.
    @Test func `a lease is held until its time is up`() {
        add(lease(1))
        add(lease(7, "b"), until: past)
        #expect(held.holds(lease(1)) && !held.holds(lease(7, "b")))
        held.prolong(lease(1), until: past)
        #expect(!held.holds(lease(1)))
        #expect(lost.all == [])
        held.prolong(lease(1), until: later)
        #expect(held.holds(lease(1)), "its renewal was on its way")
    }

    @Test func `time alone ends a lease`() {
        add(lease(1))
        clock.advance(seconds: 3599)
        held.dropExpired()
        #expect(held.holds(lease(1)) && lost.all == [])
        clock.advance(seconds: 1)
        #expect(!held.holds(lease(1)) && lost.all == [])
        held.dropExpired()
        #expect(lost.all == ["a1"])
    }

    @Test func `what has expired is lost once`() {
        add(lease(1), until: past)
        add(lease(7, "b"))
        held.dropExpired()
        held.dropExpired()
        #expect(lost.all == ["a1"])
        #expect(held.all == [lease(7, "b")])
        held.prolong(lease(1), until: later)
        #expect(!held.holds(lease(1)), "too late")
    }

    /// The state of the earlier lease says nothing about the one that was taken since.
    @Test func `an earlier lease of the same name decides nothing`() {
        add(lease(1))
        add(lease(2))
        #expect(!held.holds(lease(1)) && held.holds(lease(2)))
        held.prolong(lease(1), until: past)
        held.drop(lease(1))
        #expect(!held.remove(lease(1)))
        #expect(held.holds(lease(2)) && lost.all == [])
        held.drop(lease(2))
        held.drop(lease(2))
        #expect(!held.holds(lease(2)) && lost.all == ["a2"])
    }

    @Test func `what is given back is not lost`() {
        add(lease(1))
        #expect(held.remove(lease(1)) && !held.remove(lease(1)))
        #expect(lost.all == [] && held.all == [] && !held.holds(lease(1)))
    }
}

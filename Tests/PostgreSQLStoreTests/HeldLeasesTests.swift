import Platform
import Synchronization
import Testing

@testable import PostgreSQLStore

/// What a process trusts of its leases, without asking the database.
@Suite struct HeldLeasesTests {
    private let held = HeldLeases()
    private let lost = Losses()

    private final class Losses: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock(\.self) }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    private static let later = MonotonicTime.now().advanced(seconds: 3600)
    private static let past = MonotonicTime.now()

    private func lease(_ fence: Int64, _ name: String = "a") -> Lease {
        Lease(name: name, holder: "me", fence: fence)
    }

    private func add(_ lease: Lease, until end: MonotonicTime = Self.later) {
        held.add(lease, until: end) { [lost] in lost.add("\(lease.name)\(lease.fence)") }
    }

    /// Nobody else has looked yet: the holder's own clock is enough.
    @Test func aLeaseIsHeldUntilItsTimeIsUp() {
        add(lease(1))
        add(lease(7, "b"), until: Self.past)
        #expect(held.holds(lease(1)) && !held.holds(lease(7, "b")))
        held.prolong(lease(1), until: Self.past)
        #expect(!held.holds(lease(1)))
        #expect(lost.all == [])
        held.prolong(lease(1), until: Self.later)
        #expect(held.holds(lease(1)), "its renewal was on its way")
    }

    @Test func whatHasExpiredIsLostOnce() {
        add(lease(1), until: Self.past)
        add(lease(7, "b"))
        held.dropExpired()
        held.dropExpired()
        #expect(lost.all == ["a1"])
        #expect(held.all == [lease(7, "b")])
        held.prolong(lease(1), until: Self.later)
        #expect(!held.holds(lease(1)), "too late")
    }

    /// What is known of the lease before says nothing of the one that was taken since.
    @Test func anEarlierLeaseOfTheSameNameDecidesNothing() {
        add(lease(1))
        add(lease(2))
        #expect(!held.holds(lease(1)) && held.holds(lease(2)))
        held.prolong(lease(1), until: Self.past)
        held.drop(lease(1))
        #expect(!held.remove(lease(1)))
        #expect(held.holds(lease(2)) && lost.all == [])
        held.drop(lease(2))
        held.drop(lease(2))
        #expect(!held.holds(lease(2)) && lost.all == ["a2"])
    }

    @Test func whatIsGivenBackIsNotLost() {
        add(lease(1))
        #expect(held.remove(lease(1)) && !held.remove(lease(1)))
        #expect(lost.all == [] && held.all == [] && !held.holds(lease(1)))
    }
}

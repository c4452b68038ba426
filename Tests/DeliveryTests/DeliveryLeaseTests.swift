import PostgreSQLFixture
import Synchronization
import TestSupport
import Testing

@testable import Delivery

/// A state in a database that several instances use: one at a time serves a destination.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DeliveryLeaseTests {
    private static let leaseSeconds = StateFixture.leaseSeconds
    private let shop = DeliveryDestination(name: "shop")
    private let fixture: StateFixture
    private var clock: ManualClock { fixture.clock }

    init() throws { fixture = try StateFixture(.postgresql) }

    private func write(_ lease: Int64, cursor: UInt64) -> DeliveryWrite {
        DeliveryWrite(
            destination: "shop", lease: lease, changes: DeliveryChanges(cursor: cursor),
            events: [:], attempts: [], attemptsMax: 10)
    }

    private func cursor() throws -> String { try fixture.psql("SELECT cursor FROM destination") }

    /// Opens the destination, and tries again while another instance holds the lease.
    private func takeOver(
        _ state: any DeliveryState, changed: @escaping @Sendable () -> Void = {}
    ) async throws -> OpenedDelivery {
        let store = fixture.store
        var opened: OpenedDelivery?
        // A database that was unavailable may need another try.
        let isOpen = await clock.ticks {
            opened = try? await state.open(shop, store: store, newest: 0, changed: changed)
            return opened != nil
        }
        try #require(isOpen)
        return try #require(opened)
    }

    @Test func `one of two instances holds the lease and releases it`() async throws {
        let one = try fixture.open()
        let other = try fixture.open(label: "test:2")
        let opened = try await takeOver(one)
        try await one.write(write(opened.lease, cursor: 7))
        #expect(try await other.open(shop, store: fixture.store) == nil)
        // It is renewed after each quarter of its time, so it lasts beyond its first expiry.
        for _ in 0..<8 {
            let before = try fixture.psql("SELECT expires FROM lease")
            clock.advance(seconds: Double(Self.leaseSeconds / 4))
            try #require(
                try await eventuallyYielding {
                    try fixture.psql("SELECT expires FROM lease") != before
                })
            try #require(one.holds(opened.lease, of: "shop"))
        }
        #expect(try await other.open(shop, store: fixture.store) == nil)
        await one.release("shop")
        #expect(!one.holds(opened.lease, of: "shop"))
        let next = try await takeOver(other)
        #expect(next.lease > opened.lease && next.state.cursor == 7)
        await one.close()
        await other.close()
    }

    /// The only test in which a lease expires by the server's clock, which a test cannot move.
    @Test func `the lease of an instance that died is taken by another`() async throws {
        let one = try fixture.open(leaseSeconds: 1)
        let other = try fixture.open(label: "test:2")
        let opened = try await takeOver(one)
        // Closed without a release, like a process that was killed.
        await one.close()
        let next = try await takeOver(other)
        #expect(next.lease == opened.lease + 1)
        clock.advance(seconds: 1)
        #expect(!one.holds(opened.lease, of: "shop"))
        await other.close()
    }

    /// A late holder: it was stopped, and another instance has taken the lease.
    @Test func `the write of a late holder changes nothing`() async throws {
        let (one, other) = (try fixture.open(), try fixture.open(label: "test:2"))
        let late = try await takeOver(one)
        try await one.write(write(late.lease, cursor: 7))
        try fixture.psql("UPDATE lease SET expires = clock_timestamp()")
        let next = try await takeOver(other)
        try await other.write(write(next.lease, cursor: 20))
        await #expect(throws: DeliveryStateFailure.leaseLost) {
            try await one.write(write(late.lease, cursor: 8))
        }
        #expect(try cursor() == "20")
        await one.close()
        await other.close()
    }

    /// An instance may lose its lease and take it again. A write under the first lease is refused.
    @Test func `a write under an earlier lease of the same instance changes nothing`() async throws
    {
        let state = try fixture.open()
        let early = try await takeOver(state)
        let later = try await takeOver(state)
        #expect(later.lease == early.lease + 1)
        try await state.write(write(later.lease, cursor: 20))
        await #expect(throws: DeliveryStateFailure.leaseLost) {
            try await state.write(write(early.lease, cursor: 8))
        }
        #expect(try cursor() == "20")
        await state.close()
    }

    /// If a late holder's transaction starts before the lease is taken, the takeover waits for it.
    @Test func `a takeover waits for a write in progress`() async throws {
        let (one, other) = (try fixture.open(), try fixture.open(label: "test:2"))
        let late = try await takeOver(one)
        try fixture.psql("UPDATE lease SET expires = clock_timestamp()")
        // A write in progress locks the row of the lease until its commit; so does this.
        let writing = try fixture.begin(
            "SELECT FROM lease FOR NO KEY UPDATE", "UPDATE destination SET cursor = 9")
        let (shop, store) = (shop, fixture.store)
        async let taken = other.open(shop, store: store)
        #expect(try await fixture.comesToALock())
        try writing.commit()
        let next = try #require(try await taken)
        #expect(next.state.cursor == 9)
        #expect(next.lease > late.lease)
        await one.close()
        await other.close()
    }

    @Test func `a lease that cannot be renewed is not trusted`() async throws {
        let state = try fixture.open()
        let lost = Mutex(0)
        let opened = try await takeOver(state) { lost.withLock { $0 += 1 } }
        // The renewal gets no answer while this transaction locks the row.
        let holding = try fixture.begin("SELECT FROM lease FOR NO KEY UPDATE")
        clock.advance(seconds: Double(Self.leaseSeconds / 4))
        #expect(try await fixture.comesToALock())
        #expect(state.holds(opened.lease, of: "shop"))
        clock.advance(seconds: Double(Self.leaseSeconds))
        #expect(!state.holds(opened.lease, of: "shop"))
        #expect(await clock.ticks { lost.withLock(\.self) > 0 })
        #expect(lost.withLock(\.self) == 1)
        try holding.commit()
        #expect(try await takeOver(state).lease > opened.lease)
        #expect(lost.withLock(\.self) == 1)
        await state.close()
    }

    // MARK: Commands

    @Test func `the instance with the lease carries out the commands of others`() async throws {
        let (one, other) = (try fixture.open(), try fixture.open(label: "test:2"))
        let told = Mutex(0)
        let opened = try await takeOver(one) { told.withLock { $0 += 1 } }
        let answer = Task { try await other.ask(.retry([4, 5]), of: "shop") }
        #expect(await clock.ticks { told.withLock(\.self) > 0 })
        let command = try #require(try await one.commands(for: "shop").first)
        #expect(command.command == .retry([4, 5]))
        var done = write(opened.lease, cursor: 5)
        done.answers = [command.id: 2]
        try await one.write(done)
        #expect(try await clock.ticking { try await answer.value } == 2)
        #expect(try await one.commands(for: "shop") == [])
        #expect(try fixture.psql("SELECT count(*) FROM delivery_command") == "0")
        await one.close()
        await other.close()
    }

    @Test func `a command without an answer is withdrawn`() async throws {
        let state = try fixture.open()
        let answer = Task { try await state.ask(.pause, of: "shop") }
        #expect(try await eventuallyYielding { try commandCount() == "1" })
        let quarter = Self.leaseSeconds * 250
        #expect(try await clock.ticking(milliseconds: quarter) { try await answer.value } == nil)
        #expect(try commandCount() == "0")
        await state.close()
    }

    private func commandCount() throws -> String {
        try fixture.psql("SELECT count(*) FROM delivery_command")
    }

    /// The command is withdrawn at the moment it is carried out: the caller gets the answer.
    @Test func `a command that is carried out at the last moment is answered`() async throws {
        let state = try fixture.open()
        let answer = Task { try await state.ask(.resolve([4]), of: "shop") }
        #expect(try await eventuallyYielding { try commandCount() == "1" })
        // The write that carries it out is in progress until its commit; so is this.
        let writing = try fixture.begin("UPDATE delivery_command SET changed = 3")
        let quarter = Self.leaseSeconds * 250
        #expect(
            try await clock.ticking(milliseconds: quarter) { try await fixture.comesToALock() })
        try writing.commit()
        #expect(try await answer.value == 3)
        #expect(try commandCount() == "0")
        await state.close()
    }

    /// The database's answer arrives when the lease may have expired by the holder's clock.
    @Test func `a lease that is granted too late is not taken`() async throws {
        let state = try fixture.open()
        let opened = try await takeOver(state)
        await state.release("shop")
        let writing = try fixture.begin("SELECT FROM lease FOR NO KEY UPDATE")
        let (shop, store) = (shop, fixture.store)
        async let late = state.open(shop, store: store)
        #expect(try await fixture.comesToALock())
        clock.advance(seconds: Double(Self.leaseSeconds))
        try writing.commit()
        #expect(try await late == nil)
        #expect(!state.holds(opened.lease + 1, of: "shop"))
        #expect(try await takeOver(state).lease > opened.lease)
        await state.close()
    }
}

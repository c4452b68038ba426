import PostgreSQLFixture
import Synchronization
import TestSupport
import Testing

@testable import Delivery

/// One instance at a time serves a destination: the state in a database, used by several.
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

    /// The lease of the first that gets it.
    private func takeOver(
        _ state: any DeliveryState, changed: @escaping @Sendable () -> Void = {}
    ) async throws -> OpenedDelivery {
        let store = fixture.store
        var opened: OpenedDelivery?
        // A database that was away may need another try.
        let isOpen = await clock.ticks {
            opened = try? await state.open(shop, store: store, changed: changed)
            return opened != nil
        }
        try #require(isOpen)
        return try #require(opened)
    }

    @Test func oneOfTwoInstancesHoldsTheLeaseAndGivesItBack() async throws {
        let one = try fixture.open()
        let other = try fixture.open(label: "test:2")
        let opened = try await takeOver(one)
        try await one.write(write(opened.lease, cursor: 7))
        #expect(try await other.open(shop, store: fixture.store) == nil)
        // It is renewed each quarter of its time: it lasts twice as long as it was taken for.
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

    /// The one place where a lease passes by the server's clock, which nobody can move.
    @Test func theLeaseOfAnInstanceThatDiedIsTakenByAnother() async throws {
        let one = try fixture.open(leaseSeconds: 1)
        let other = try fixture.open(label: "test:2")
        let opened = try await takeOver(one)
        // Closed without giving anything back, as a process that was killed.
        await one.close()
        let next = try await takeOver(other)
        #expect(next.lease == opened.lease + 1)
        clock.advance(seconds: 1)
        #expect(!one.holds(opened.lease, of: "shop"))
        await other.close()
    }

    /// A late holder: it was stopped for a while, and another one has taken over.
    @Test func whatALateHolderWritesChangesNothing() async throws {
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

    /// An instance may lose its lease and take it again: a write of the first time comes too late.
    @Test func aWriteUnderAnEarlierLeaseOfTheSameInstanceChangesNothing() async throws {
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

    /// The transaction of a late holder has begun before the lease is taken: one waits for the
    /// other, whichever comes first.
    @Test func aTakeoverWaitsForAWriteThatIsUnderWay() async throws {
        let (one, other) = (try fixture.open(), try fixture.open(label: "test:2"))
        let late = try await takeOver(one)
        try fixture.psql("UPDATE lease SET expires = clock_timestamp()")
        // What is under way holds the row of the lease until its commit; so does this.
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

    @Test func aLeaseThatCannotBeRenewedIsNotTrusted() async throws {
        let state = try fixture.open()
        let lost = Mutex(0)
        let opened = try await takeOver(state) { lost.withLock { $0 += 1 } }
        // The renewal gets no answer as long as this holds the row.
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

    @Test func theInstanceThatServesCarriesOutWhatAnotherOneIsAsked() async throws {
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

    @Test func whatNobodyCarriesOutIsTakenBack() async throws {
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

    /// Whoever asked takes the command back in the moment in which it is carried out: then it is
    /// told what was done, not that nothing was.
    @Test func whatIsCarriedOutInTheLastMomentIsAnswered() async throws {
        let state = try fixture.open()
        let answer = Task { try await state.ask(.resolve([4]), of: "shop") }
        #expect(try await eventuallyYielding { try commandCount() == "1" })
        // What carries it out is under way until its commit; so is this.
        let writing = try fixture.begin("UPDATE delivery_command SET changed = 3")
        let quarter = Self.leaseSeconds * 250
        #expect(
            try await clock.ticking(milliseconds: quarter) { try await fixture.comesToALock() })
        try writing.commit()
        #expect(try await answer.value == 3)
        #expect(try commandCount() == "0")
        await state.close()
    }

    /// The database answers when the lease that it grants may be over by the holder's own clock.
    @Test func aLeaseThatIsGrantedTooLateIsNotTaken() async throws {
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

import PostgreSQLFixture
import Synchronization
import TestSupport
import Testing

@testable import Delivery

/// Two instances with the state in one database, and a lease that is lost at critical moments.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct TakeoverTests {
    private let fixture: StateFixture
    private var clock: ManualClock { fixture.clock }
    private let records: MemoryRecords

    init() throws {
        fixture = try StateFixture(.postgresql)
        records = MemoryRecords(identity: fixture.store)
    }

    private func start(
        _ transport: FakeTransport, label: String = "test:1",
        retrySeconds: [Double] = Array(repeating: 0.01, count: 10_000), stateSeconds: Double = 0.01
    ) throws -> DeliveryService {
        var limits = DeliveryLimits()
        limits.stateSecondsMax = stateSeconds
        limits.drainSecondsMax = 0.1
        return DeliveryService(
            [DeliveryDestination(name: "shop", retrySeconds: retrySeconds, breakerSeconds: 0.02)],
            source: records, commitFeed: records.commitFeed,
            state: try fixture.open(label: label),
            transport: transport, limits: limits, clock: clock
        ) { _, _ in }
    }

    /// Takes the lease away from its holder, as if it had not been renewed in time.
    private func breakLease() throws {
        try fixture.psql("UPDATE lease SET expires = clock_timestamp(), holder = 'nobody'")
    }

    private func cursor() throws -> String {
        try fixture.psql("SELECT max(cursor) FROM destination")
    }

    private static func isServed(_ service: DeliveryService) async -> Bool {
        await service.statuses().allSatisfy(\.isServed)
    }

    /// An event is in flight at one instance when its lease is lost. The other instance delivers
    /// it, and the late answer changes nothing.
    @Test func `events in flight when the lease is lost are delivered by the next holder`()
        async throws
    {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let cancelled = Mutex(false)
        let stuck = FakeTransport { message in
            guard message.reference == "A" else { return FakeTransport.good }
            await withTaskCancellationHandler {
                // This destination answers after the request was cancelled.
                let late = Task.detached { for await _ in gate {} }
                await late.value
            } onCancel: {
                cancelled.withLock { $0 = true }
            }
            return FakeTransport.good
        }
        records.append(["A", "B", "A", "B"])
        let one = try start(stuck)
        #expect(await clock.ticks { stuck.sent.count == 3 })
        // Its cursor waits for the answer, although the state is written repeatedly.
        #expect(try await clock.ticks { try fixture.psql("SELECT count(*) FROM delivery") != "0" })
        let well = FakeTransport()
        let other = try start(well, label: "test:2")
        try breakLease()
        #expect(await clock.ticks { well.sent.contains { $0.sequence == 3 } })
        // It has nothing to write; the renewal reports the loss.
        clock.advance(seconds: Double(StateFixture.leaseSeconds / 4))
        #expect(await clock.ticks { cancelled.withLock(\.self) })
        #expect(well.sent.filter { $0.reference == "A" }.map(\.sequence) == [1, 3])
        #expect(try await clock.ticks { try cursor() == "4" })
        opener.finish()
        records.append(["A"])
        #expect(await clock.ticks { well.sent.last?.sequence == 5 })
        #expect(try await clock.ticks { try cursor() == "5" })
        #expect(stuck.sent.count == 3)
        #expect(await !Self.isServed(one))
        await clock.ticking { await one.stop() }
        await clock.ticking { await other.stop() }
        #expect(try cursor() == "5")
    }

    /// This instance writes the state once while the event is in flight, and never again.
    @Test func `the cursor does not move before the answer`() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let stuck = FakeTransport { _ in
            for await _ in gate {}
            return AttemptOutcome(.canceled, latencyMicroseconds: 1)
        }
        let one = try start(stuck, stateSeconds: 3600)
        #expect(await clock.ticks { await Self.isServed(one) })
        let version = "SELECT xmin FROM destination"
        let before = try fixture.psql(version)
        records.append(["A", "B"])
        #expect(await clock.ticks { stuck.sent.count == 2 })
        #expect(try await clock.ticks { try fixture.psql(version) != before })
        #expect(try cursor() == "0")
        let well = FakeTransport()
        let other = try start(well, label: "test:2")
        try breakLease()
        #expect(await clock.ticks { well.sent.map(\.sequence).sorted() == [1, 2] })
        opener.finish()
        await clock.ticking { await one.stop() }
        await clock.ticking { await other.stop() }
    }

    /// The lease is lost repeatedly while two instances deliver to a destination that fails half of
    /// the time. Everything is delivered, and each event first arrives after the earlier ones.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `everything is delivered in order however often the lease is lost`(_ seed: UInt64)
        async throws
    {
        let generator = Mutex(SeededGenerator(seed: seed))
        let taken = Mutex<[DeliveryMessage]>([])
        let transport = FakeTransport { message in
            let (isGood, isSeen) = generator.withLock { ($0.once(in: 2), $0.once(in: 2)) }
            if isGood || isSeen { taken.withLock { $0.append(message) } }
            return isGood
                ? FakeTransport.good : AttemptOutcome(.timeout, latencyMicroseconds: 1)
        }
        let services = [
            try start(transport), try start(transport, label: "test:2"),
        ]
        for round in 0..<12 {
            records.append((0..<20).map { "R-\(($0 + round) % 7)" })
            #expect(await clock.ticks { Set(taken.withLock(\.self).map(\.sequence)).count > round })
            try breakLease()
        }
        #expect(
            await clock.ticks(toward: 240) { Set(taken.withLock(\.self).map(\.sequence)).count })
        #expect(try await clock.ticks { try cursor() == "240" })
        // An event that was accepted but not answered in time is kept, and delivered once more.
        #expect(
            try await clock.ticks { try fixture.psql("SELECT count(*) FROM delivery") == "0" })
        for service in services {
            await clock.ticking { await service.stop() }
        }
        for (order, told) in Dictionary(grouping: taken.withLock(\.self), by: \.reference) {
            var seen: [UInt64] = []
            for message in told where !seen.contains(message.sequence) {
                seen.append(message.sequence)
            }
            #expect(seen == seen.sorted(), "\(order)")
        }
    }

    @Test func `the other instance accepts commands and shows the status`() async throws {
        let transport = FakeTransport { _ in AttemptOutcome(status: 422, latencyMicroseconds: 1) }
        let one = try start(transport, retrySeconds: [])
        #expect(await clock.ticks { await Self.isServed(one) })
        let other = try start(transport, label: "test:2", retrySeconds: [])
        records.append(["A"])
        #expect(try await clock.ticks { try fixture.psql("SELECT is_dead FROM delivery") == "t" })
        let standing = try #require(await other.allStatuses().first)
        #expect(!standing.isServed && standing.servedBy == "test:1")
        #expect(standing.figures?.dead == 1 && standing.lag == 1)
        var dead = DeliveryQuery()
        dead.state = .dead
        transport.become { _ in FakeTransport.good }
        #expect(try await clock.ticking { try await other.retry(dead) } == 1)
        #expect(await clock.ticks { transport.sent.count == 2 })
        try await clock.ticking { try await other.pause("shop") }
        #expect(await one.statuses().first?.figures?.pause == .command)
        #expect(await other.allStatuses().first?.figures?.pause == .command)
        try await clock.ticking { try await other.resume("shop") }
        #expect(await one.statuses().first?.figures?.pause == nil)
        #expect(try await other.test("shop").isSuccess)
        #expect(transport.sent.last?.id.hasPrefix(fixture.store) == true)
        await clock.ticking { await one.stop() }
        // A released lease is available at once.
        #expect(await clock.ticks { await Self.isServed(other) })
        await clock.ticking { await other.stop() }
    }
}

import Synchronization
import TestSupport
import Testing

@testable import Delivery

/// The worker and its state in SQLite, with a destination in memory.
@Suite struct DeliveryServiceTests {
    private final class Notices: Sendable {
        let all = Mutex<[DeliveryNotice]>([])
        func add(_ notice: DeliveryNotice) { all.withLock { $0.append(notice) } }
        func contains(_ isWanted: (DeliveryNotice) -> Bool) -> Bool {
            all.withLock { $0.contains(where: isWanted) }
        }
    }

    private let clock = ManualClock()
    private let folder = TemporaryFolder()
    private let records = MemoryRecords()
    private let notices = Notices()
    private let progress = DeliveryProgress(["shop", "other"])

    private func start(
        _ transport: FakeTransport, retrySeconds: [Double] = [0.01, 0.01],
        filter: DestinationFilter = .init(), stateSeconds: Double = 0.01,
        from records: MemoryRecords? = nil
    ) throws -> DeliveryService {
        let records = records ?? self.records
        var limits = DeliveryLimits()
        limits.stateSecondsMax = stateSeconds
        limits.drainSecondsMax = 0.5
        let (state, _) = try SQLiteDeliveryState.open(directory: folder.path)
        return DeliveryService(
            [
                DeliveryDestination(
                    name: "shop", filter: filter, retrySeconds: retrySeconds, breakerSeconds: 0.05)
            ], source: records, commitFeed: records.commitFeed, state: state, transport: transport,
            limits: limits, progress: progress, clock: clock
        ) { [notices] _, notice in notices.add(notice) }
    }

    @Test func `every event is delivered, in sequence within its order`() async throws {
        let transport = FakeTransport()
        records.append((0..<500).map { "R-\($0 % 7)" })
        let service = try start(transport)
        records.append((0..<500).map { "R-\($0 % 7)" })
        #expect(await clock.ticks(toward: 1000) { transport.sent.count })
        #expect(transport.sent.count == 1000)
        await clock.ticking { await service.stop() }
        for (_, told) in Dictionary(grouping: transport.sent, by: \.reference) {
            #expect(told.map(\.sequence) == told.map(\.sequence).sorted())
        }
        let first = try #require(transport.sent.first)
        #expect(first.id == "00000000000000000000000000000001-\(first.sequence)")
        #expect(first.type == "order.paid")
        #expect(!String(decoding: first.record, as: UTF8.self).contains("request"))
    }

    @Test func `retention waits for the slowest destination`() async throws {
        records.append(["A", "B", "C"])
        let service = try start(FakeTransport())
        progress.note(2, of: "other")
        #expect(await clock.ticks { progress.deliveredThrough == 2 })
        progress.note(9, of: "other")
        #expect(await clock.ticks { progress.deliveredThrough == 3 })
        #expect(DeliveryProgress([]).deliveredThrough == nil)
        await clock.ticking { await service.stop() }
    }

    /// A journal that was restored from a backup has fewer records than were delivered.
    @Test func `new records are delivered whose numbers were those of lost ones`() async throws {
        let transport = FakeTransport()
        records.append(["A", "B", "C"])
        var service = try start(transport)
        #expect(await clock.ticks { transport.sent.count == 3 })
        await clock.ticking { await service.stop() }
        let restored = MemoryRecords()
        restored.append(["A"])
        service = try start(transport, from: restored)
        let isSeen = await clock.ticks {
            notices.contains {
                if case .positionAhead(3, last: 1) = $0 { true } else { false }
            }
        }
        #expect(isSeen)
        restored.append(["D", "E"])
        #expect(await clock.ticks { transport.sent.count == 5 })
        #expect(transport.sent.suffix(2).map(\.reference).sorted() == ["D", "E"])
        await clock.ticking { await service.stop() }
    }

    @Test func `a restart continues from where delivery stopped`() async throws {
        let transport = FakeTransport()
        records.append(["A", "B", "C"])
        var service = try start(transport)
        #expect(await clock.ticks { transport.sent.count == 3 })
        await clock.ticking { await service.stop() }
        records.append(["D"])
        service = try start(transport)
        #expect(await clock.ticks { transport.sent.count == 4 })
        await clock.ticking { await service.stop() }
        #expect(transport.sent.map(\.sequence).sorted() == [1, 2, 3, 4])
    }

    @Test func `a dead letter survives a restart, is listed, and is retried on command`()
        async throws
    {
        let transport = FakeTransport { message in
            message.reference == "A"
                ? AttemptOutcome(
                    status: 422, latencyMicroseconds: 1, excerpt: Array("no such order".utf8))
                : FakeTransport.good
        }
        records.append(["A", "B", "A", "B"])
        var service = try start(transport)
        #expect(await clock.ticks { notices.contains { $0.isDead } })
        #expect(
            await clock.ticks { transport.sent.filter { $0.reference == "B" }.count == 2 })
        await clock.ticking { await service.stop() }
        service = try start(transport)
        var query = DeliveryQuery()
        query.state = .dead
        let list = try await service.deliveries(query)
        let delivery = try #require(list.deliveries.first)
        #expect(list.deliveries.count == 1)
        #expect(delivery.sequence == 1 && delivery.attempts == 3)
        #expect(delivery.last?.outcome.status == 422)
        #expect(delivery.last?.outcome.excerpt == "no such order")
        #expect(try await service.attempts(reference: "A", limit: 10).count == 3)
        query.state = .waiting
        #expect(try await service.count(query) == 1)
        #expect(!transport.sent.contains { $0.sequence == 3 })

        transport.become { _ in FakeTransport.good }
        var all = DeliveryQuery()
        all.state = .dead
        #expect(await comesToServe(service))
        #expect(try await service.retry(all) == 1)
        #expect(await clock.ticks { transport.sent.contains { $0.sequence == 3 } })
        await clock.ticking { await service.stop() }
        let told = transport.sent.filter { $0.reference == "A" }.map(\.sequence)
        #expect(told == [1, 1, 1, 1, 3])
    }

    private func comesToServe(_ service: DeliveryService) async -> Bool {
        await clock.ticks { await service.statuses().allSatisfy(\.isServed) }
    }

    @Test func `a paused destination receives nothing until it is resumed`() async throws {
        let transport = FakeTransport()
        var service = try start(transport)
        #expect(await comesToServe(service))
        try await service.pause("shop")
        await clock.ticking { await service.stop() }
        service = try start(transport)
        records.append(["A"])
        #expect(await comesToServe(service))
        #expect(await service.statuses().first?.figures?.pause == .command)
        #expect(await clock.ticks { await service.statuses().first?.figures?.waiting == 1 })
        #expect(transport.sent.isEmpty)
        try await service.resume("shop")
        #expect(await clock.ticks { transport.sent.count == 1 })
        #expect(try await service.test("shop").isSuccess)
        #expect(transport.sent.last?.type == "test")
        await #expect(throws: DeliveryCommandFailure.unknownDestination("other")) {
            try await service.pause("other")
        }
        await clock.ticking { await service.stop() }
    }

    @Test func `filtered events are skipped`() async throws {
        let transport = FakeTransport()
        var filter = DestinationFilter()
        filter.statuses = ["refunded"]
        records.append(["A", "B"])
        records.append(["A"], status: "refunded")
        let service = try start(transport, filter: filter)
        #expect(await clock.ticks { transport.sent.count == 1 })
        await clock.ticking { await service.stop() }
        #expect(transport.sent.map(\.sequence) == [3])
    }

    /// Events in flight at a stop are delivered again, not lost.
    @Test func `a stop does not wait for a destination that hangs`() async throws {
        let transport = FakeTransport { _ in
            // The loop ends when its task is cancelled.
            let (silence, source) = AsyncStream<Void>.makeStream()
            for await _ in silence {}
            withExtendedLifetime(source) {}
            return AttemptOutcome(.canceled, latencyMicroseconds: 1)
        }
        records.append(["A"])
        var service = try start(transport)
        #expect(await clock.ticks { transport.sent.count == 1 })
        await clock.ticking { await service.stop() }
        transport.become { _ in FakeTransport.good }
        service = try start(transport)
        #expect(await clock.ticks { transport.sent.count == 2 })
        await clock.ticking { await service.stop() }
    }

    @Test func `a damaged state is set aside, and everything is delivered again`() async throws {
        let transport = FakeTransport()
        records.append(["A", "B"])
        var service = try start(transport)
        #expect(await clock.ticks { transport.sent.count == 2 })
        await clock.ticking { await service.stop() }
        try folder.write(Array(repeating: 0x7f, count: 8192), to: SQLiteDeliveryState.fileName)
        service = try start(transport)
        #expect(await clock.ticks { transport.sent.count == 4 })
        await clock.ticking { await service.stop() }
        #expect(folder.exists(SQLiteDeliveryState.fileName + ".damaged"))
    }
}

extension DeliveryNotice {
    fileprivate var isDead: Bool {
        if case .dead = self { true } else { false }
    }
}

import Ledger
import Payments
import Store
import TestSupport
import Testing

@testable import Journal
@testable import JournalStore

/// Some wait for a thread that works by itself: what it never does must fail the test.
@Suite struct SnapshotTests {
    /// Random notifications about few orders: payments, refunds that come before them, conflicts,
    /// repetitions.
    private func submissions(_ count: Int, seed: UInt64) -> [Submission] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let order = Int(generator.next() % 400)
            let event = Int(generator.next() % 6)
            let minor = generator.next() % 10 == 0 ? 1 : Int64(order)
            let isRefund = generator.next() % 3 == 0
            let notification =
                isRefund
                ? Samples.refund(
                    "R-\(order)-\(event)", refund: "REF-\(event)", transaction: "T-\(order)",
                    minor: minor)
                : Samples.payment(
                    "P-\(order)-\(event)", reference: "ORDER-\(order)", transaction: "T-\(order)",
                    event % 2 == 0 ? .paid : .pending, minor: minor)
            return Samples.submission(notification, endpoint: order % 2 == 0 ? "a" : "b")
        }
    }

    /// Everything that can be asked of a store about these orders and events, in the words of its
    /// receipts.
    private func state(of store: JournalStore, _ submissions: [Submission]) async -> [OrderView?] {
        var views: [OrderView?] = []
        for order in 0..<400 {
            let endpoint = order % 2 == 0 ? "a" : "b"
            views.append(await store.order(endpoint: endpoint, reference: "ORDER-\(order)"))
        }
        return views
    }

    private func options(snapshotRecords: Int) -> JournalStoreOptions {
        var options = Samples.options
        options.snapshotRecords = snapshotRecords
        options.snapshotClosingRecords = 1
        options.journal.segmentBytes = 1 << 20
        return options
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `snapshot and tail give what the whole journal gives`(seed: UInt64) async throws {
        let storage = MemoryStorage()
        let submissions = submissions(1500, seed: seed)
        let first = try Samples.store(on: storage, options(snapshotRecords: 300))
        for submission in submissions[..<1000] { _ = await first.record(submission) }
        await first.close()
        #expect(first.statistics.snapshots > 0)
        let second = try Samples.store(on: storage, options(snapshotRecords: 0))
        for submission in submissions[1000...] { _ = await second.record(submission) }
        let tail = UInt64(second.statistics.records)
        let expected = await state(of: second, submissions)
        await second.close()

        let fromSnapshot = try Samples.store(on: storage, options(snapshotRecords: 0))
        #expect(fromSnapshot.recovery.snapshot != nil)
        #expect(tail > 0)
        #expect(fromSnapshot.recovery.records == tail)
        #expect(await state(of: fromSnapshot, submissions) == expected)
        let remembered = fromSnapshot.statistics.eventsRemembered
        let orders = fromSnapshot.statistics.ordersRemembered
        for submission in submissions {
            guard case .duplicate = await fromSnapshot.record(submission).outcome else {
                Issue.record("not remembered: \(submission.notification)")
                continue
            }
        }
        await fromSnapshot.close()

        for name in storage.state.withLock({ Array($0.files.keys) })
        where name.hasSuffix(".snapshot") {
            try storage.unlink(name)
        }
        let fromJournal = try Samples.store(on: storage, options(snapshotRecords: 0))
        #expect(fromJournal.recovery.snapshot == nil)
        #expect(await state(of: fromJournal, submissions) == expected)
        #expect(fromJournal.statistics.eventsRemembered == remembered)
        #expect(fromJournal.statistics.ordersRemembered == orders)
        await fromJournal.close()
    }

    /// A disk that gets all of it at once lets commits wait.
    @Test func `a snapshot beside commits is synced in pieces until somebody waits`() throws {
        let storage = MemoryStorage()
        let point = SnapshotPoint(sequence: 1, chain: .zero)
        let pace = WritingPace(clock: storage.clock)
        let writer = try SnapshotWriter(
            directory: "journal", storage: storage, point: point,
            store: try #require(StoreIdentity(hexadecimal: String(repeating: "a", count: 32))),
            pace: pace)
        let piece = [UInt8](repeating: 1, count: SnapshotWriter.chunkBytesMax)
        for _ in 0..<3 { try writer.append(section: 1, piece) }
        #expect(storage.syncs == 3)
        pace.hurry()
        for _ in 0..<3 { try writer.append(section: 1, piece) }
        #expect(storage.syncs == 3)
    }

    @Test func `closing writes a snapshot that needs no replay`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage, options(snapshotRecords: 1_000_000))
        for submission in submissions(200, seed: 9) { _ = await store.record(submission) }
        let records = store.statistics.records
        await store.close()
        #expect(store.statistics.snapshots == 1)
        let restarted = try Samples.store(on: storage, options(snapshotRecords: 1_000_000))
        #expect(restarted.recovery.snapshot == UInt64(records))
        #expect(restarted.recovery.records == 0)
        await restarted.close()
        #expect(restarted.statistics.snapshots == 0)
    }

    @Test func `a quiet store writes a snapshot when it is time`() async throws {
        let storage = MemoryStorage()
        var options = options(snapshotRecords: 1_000_000)
        options.snapshotClosingRecords = 1_000_000
        options.snapshotSeconds = 60
        let clock = ManualClock()
        var environment = StoreEnvironment()
        environment.clock = clock
        let due = clock.now.advanced(seconds: 60)
        let store = try Samples.store(on: storage, options, environment: environment)
        _ = await store.record(submissions(1, seed: 5)[0])
        #expect(await eventuallyYielding { clock.nextDeadline == due })
        clock.advance(milliseconds: 59_999)
        #expect(store.statistics.snapshots == 0)
        clock.advance(milliseconds: 1)
        // Reading a counter does not wake the committer: it has to wake by itself.
        #expect(await eventuallyYielding { store.statistics.snapshots == 1 })
        await store.close()
        let restarted = try Samples.store(on: storage, options)
        #expect(restarted.recovery.snapshot == 1)
        await restarted.close()
    }

    @Test func `what earlier processes left without a snapshot is as old as it is`() async throws {
        let storage = MemoryStorage()
        var options = options(snapshotRecords: 1_000_000)
        options.snapshotClosingRecords = 1_000_000
        var environment = StoreEnvironment()
        let submission = submissions(1, seed: 6)[0]
        let clock = ManualClock(wallMicroseconds: submission.received.microseconds)
        environment.clock = clock
        let first = try Samples.store(on: storage, options, environment: environment)
        _ = await first.record(submission)
        await first.close()
        let sameDay = try Samples.store(on: storage, options, environment: environment)
        _ = await sameDay.order(endpoint: "a", reference: "ORDER-0")
        await sameDay.close()
        #expect(sameDay.statistics.snapshots == 0)
        clock.advance(seconds: 86_400)
        let nextDay = try Samples.store(on: storage, options, environment: environment)
        #expect(await eventuallyYielding { nextDay.statistics.snapshots == 1 })
        await nextDay.close()
    }

    @Test func `applying a record twice changes nothing`() async throws {
        let storage = MemoryStorage()
        let submissions = submissions(600, seed: 4)
        let store = try Samples.store(on: storage)
        for submission in submissions { _ = await store.record(submission) }
        await store.close()
        var records: [(UInt64, [UInt8])] = []
        let journal = try JournalWriter.open(
            directory: "journal", storage: storage, options: Samples.options.journal
        ) { records.append(($0, [UInt8]($1))) }
        journal.close()

        var once = StoreLoader(factsMax: 1000)
        var twice = StoreLoader(factsMax: 1000)
        for (sequence, record) in records {
            try record.span.withUnsafeBytes { try once.replay($0, sequence: sequence) }
        }
        for (sequence, record) in records + records.suffix(100) + records {
            try record.span.withUnsafeBytes { try twice.replay($0, sequence: sequence) }
        }
        let (left, right) = (once.finish(), twice.finish())
        for order in 0..<400 {
            let endpoint = order % 2 == 0 ? "a" : "b"
            let reference = "ORDER-\(order)"
            #expect(
                left.order(endpoint: endpoint, reference: reference)
                    == right.order(endpoint: endpoint, reference: reference))
        }
        #expect(left.eventCount == right.eventCount)
        #expect(left.orderCount == right.orderCount)
    }

    @Test func `a snapshot that is none of ours is passed over`() {
        var reader = TablesReader(factsMax: nil)
        let header = TablesHeader(StoreTables(function: SipHash(key: (1, 2)))).encoded()
        header.withUnsafeBytes { reader.read(0, $0) }
        #expect(reader.finish() == nil, "no shard came")
        var foreign = TablesReader(factsMax: nil)
        ([9, 9, 9] as [UInt8]).withUnsafeBytes { foreign.read(0, $0) }
        #expect(foreign.finish() == nil)
        var unordered = TablesReader(factsMax: nil)
        header.withUnsafeBytes { unordered.read(0, $0) }
        header.withUnsafeBytes { unordered.read(TablesSnapshot.section(.events, of: 3), $0) }
        #expect(unordered.finish() == nil)
    }

    @Test func `a snapshot that cannot be written is said and counted`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage, options(snapshotRecords: 1_000_000))
        _ = await store.record(Samples.submission(Samples.payment("E")))
        storage.refusesNewFiles()
        await store.close()
        #expect(store.statistics.snapshotFailures == 1)
        #expect(store.statistics.snapshots == 0)
    }
}

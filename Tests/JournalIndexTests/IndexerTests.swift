import Foundation
import JournalStore
import Payments
import Records
import Store
import Synchronization
import TestSupport
import Testing

@testable import JournalIndex

/// The index follows the journal, whether the records come from memory or from the files.
@Suite final class IndexerTests {
    private let folder = TemporaryFolder()
    private let clock = ManualClock()
    private var directory: String { folder.path }
    private var journal: String { folder.file("journal") }

    private func store(recentBytesMax: Int) throws -> JournalStore {
        var options = JournalStoreOptions()
        options.journal.segmentBytes = 1 << 20
        options.journal.frameBytesMax = 256 << 10
        options.journal.recordBytesMax = 128 << 10
        options.recentBytesMax = recentBytesMax
        return try JournalStore(directory: journal, options: options)
    }

    private static func record(_ numbers: Range<Int>, in store: JournalStore) async {
        for number in numbers {
            let notification = Notification(
                id: "E-\(number)", kind: "payment", status: "paid", reference: "R-\(number)",
                transaction: nil, effect: .attempt(.paid, nil))
            let request = RecordedRequest(
                method: "POST", target: Array("/ipn".utf8)[...], headers: [],
                body: [UInt8](repeating: 0x20, count: 300))
            _ = await store.record(
                Submission(
                    endpoint: "antom", provider: "antom", key: "1", notification: notification,
                    request: request, peer: "", received: Timestamp(microseconds: 1)))
        }
    }

    private func wait(for sequence: UInt64, in index: ServedIndex) async -> Bool {
        await wait { index.isAvailable && index.indexedSequence >= sequence }
            && index.indexedSequence == sequence
    }

    /// Moves the clock, so that the index's pauses end.
    private func wait(until condition: () -> Bool) async -> Bool {
        await clock.reaches(condition)
    }

    /// Records before the index begins, with it, and beyond what it may hold in memory.
    @Test(arguments: [0, 2000, 8 << 20])
    func `every record comes into the index once`(recentBytesMax: Int) async throws {
        let store = try store(recentBytesMax: recentBytesMax)
        await Self.record(0..<40, in: store)
        let (index, warnings) = (ServedIndex(clock: clock), Warnings())
        let indexer = indexer(of: store, index, warnings)
        #expect(await wait(for: 40, in: index))
        for round in 1...5 {
            await Self.record(round * 40..<(round + 1) * 40, in: store)
        }
        #expect(await wait(for: 240, in: index))
        #expect(try await Self.references(index.present()) == Set((0..<240).map { "R-\($0)" }))
        #expect(warnings.all == [])
        await store.close()
        withExtendedLifetime(indexer) {}
    }

    private final class Warnings: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock(\.self) }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func indexer(
        of store: JournalStore, _ index: ServedIndex, _ warnings: Warnings
    ) -> Indexer {
        Indexer(
            index, in: directory + "/index", directory: journal,
            commitFeed: store.commitFeed, recent: store.recent,
            lookUp: { store.orders($0) }, clock: clock
        ) { warnings.add($0) }
    }

    enum Mishap: CaseIterable { case removed, truncated, replaced, logRemoved, unreadable }

    private func happen(_ mishap: Mishap) throws {
        let file = OrderIndex.path(in: directory + "/index")
        switch mishap {
        case .removed: IndexFiles.remove(file)
        case .truncated: #expect(truncate(file, 0) == 0)
        case .replaced:
            try FileManager.default.removeItem(atPath: file)
            try Data(repeating: 0x20, count: 1 << 20).write(to: URL(filePath: file))
        case .logRemoved: try FileManager.default.removeItem(atPath: file + "-wal")
        case .unreadable: break
        }
    }

    /// While it is open. Nothing is recorded meanwhile, so the next list finds it.
    @Test(arguments: Mishap.allCases)
    func `an index that is damaged while it is open is made anew`(_ mishap: Mishap) async throws {
        let store = try store(recentBytesMax: 8 << 20)
        await Self.record(0..<40, in: store)
        let (index, warnings) = (ServedIndex(clock: clock), Warnings())
        let indexer = indexer(of: store, index, warnings)
        #expect(await wait(for: 40, in: index))
        try happen(mishap)
        // Nothing but the row itself shows it.
        if mishap == .unreadable {
            try await index.present().database.write { database in
                try database.execute(sql: "UPDATE orders SET created = 'then' WHERE first = 7")
            }
        }
        await #expect(throws: ReadFailure.self) {
            try await index.read { try await $0.page(OrderQuery(), limit: 100) }
        }
        _ = await wait { index.rebuilds > 0 }
        await Self.record(40..<50, in: store)
        #expect(await wait(for: 50, in: index))
        #expect(try await Self.references(index.present()) == Set((0..<50).map { "R-\($0)" }))
        #expect(index.rebuilds == 1)
        #expect(warnings.all.count == 1)
        await store.close()
        withExtendedLifetime(indexer) {}
    }

    /// An index that is not small is checked after the start.
    @Test func `a new and a small index are waited for and a large one is not`() throws {
        #expect(ServedIndex.isSmall(in: directory))
        let path = OrderIndex.path(in: directory)
        for (bytes, isSmall) in [(0, true), (48 << 20, true), (48 << 20 + 1, false)] {
            try Data().write(to: URL(filePath: path))
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.truncate(atOffset: UInt64(bytes))
            #expect(ServedIndex.isSmall(in: directory) == isSmall, "\(bytes)")
        }
    }

    /// A file where its directory should be: nothing can be opened there.
    @Test func `an index that cannot be opened is tried again`() async throws {
        let store = try store(recentBytesMax: 8 << 20)
        await Self.record(0..<10, in: store)
        let place = directory + "/index"
        try Data().write(to: URL(filePath: place))
        let (index, warnings) = (ServedIndex(clock: clock), Warnings())
        let indexer = indexer(of: store, index, warnings)
        _ = await wait { !warnings.all.isEmpty }
        index.awaitFirstTry(milliseconds: 300_000)
        #expect(!index.isAvailable)
        #expect(throws: ReadFailure.self) { try index.present() }
        #expect(warnings.all.first?.contains("lists answer 503") == true)
        try FileManager.default.removeItem(atPath: place)
        #expect(await wait(for: 10, in: index))
        #expect(index.rebuilds == 0)
        await store.close()
        withExtendedLifetime(indexer) {}
    }

    /// An index is recognised by its journal, however it was filled.
    @Test func `an index that was filled from memory fits its journal`() async throws {
        let store = try store(recentBytesMax: 8 << 20)
        store.recent.follow()
        await Self.record(0..<10, in: store)
        // Behind the closing, everything has been handed out.
        await store.close()
        var rows = OrderRows()
        store.recent.take(&rows)
        var index = try OrderIndex(directory: directory + "/index", journal: journal, clock: clock)
        #expect(try index.fill(from: rows) == 10)
        #expect(try index.fill(from: rows) == 0)
        index = try OrderIndex(directory: directory + "/index", journal: journal, clock: clock)
        #expect(index.indexedSequence == 10)
        // Another journal that has as many records is another journal.
        try FileManager.default.removeItem(atPath: journal)
        let other = try self.store(recentBytesMax: 0)
        await Self.record(100..<110, in: other)
        index = try OrderIndex(directory: directory + "/index", journal: journal, clock: clock)
        #expect(index.indexedSequence == 0)
        await other.close()
    }

    /// In small steps, but not with so many pauses that the index falls behind.
    @Test(arguments: [(95, 0), (96, 1), (960, 10), (12_800, 128)])
    func `new records come in with pauses`(count: Int, pauses: Int) async throws {
        let store = try store(recentBytesMax: 8 << 20)
        store.recent.follow()
        await Self.record(0..<1, in: store)
        await store.close()
        var one = OrderRows()
        store.recent.take(&one)
        var rows = OrderRows()
        for sequence in 1...UInt64(count) {
            var row = try #require(one.rows.first)
            row.sequence = sequence
            rows.append(sequence, row)
        }
        let index = try OrderIndex(directory: directory + "/index", journal: journal, clock: clock)
        var paused = 0
        #expect(try index.fill(from: rows) { paused += 1 } == count)
        #expect(paused == pauses)
    }

    private static func references(_ index: OrderIndex) async throws -> Set<String?> {
        Set(try await index.page(OrderQuery(), limit: 1000).orders.map(\.reference))
    }
}

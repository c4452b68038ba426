import Payments
import Store
import Testing

@testable import Journal
@testable import JournalStore

/// The parts of a start: from a snapshot, and from the records instead.
@Suite struct StoreLoaderTests {
    private static let day: Int64 = 86_400_000_000

    /// A closed journal with a snapshot of all its records at the end.
    ///
    /// - Parameters:
    ///   - days: When each was received.
    ///   - retains: false where only the last segment is to be left.
    private func journal(
        days: [Int64], bodyBytes: Int = 2, retains: Bool = true
    ) async throws -> MemoryStorage {
        let storage = MemoryStorage()
        var options = Self.options
        if !retains { options.retention = JournalRetention(days: 1, disposal: .delete) }
        let store = try Samples.store(on: storage, options)
        for (number, day) in days.enumerated() {
            _ = await store.record(Self.submission(number, day: day, bodyBytes: bodyBytes))
        }
        storage.time.advance(days: 2)
        await store.close()
        #expect(store.statistics.snapshots == 1)
        return storage
    }

    private static func submission(
        _ number: Int, day: Int64 = 0, bodyBytes: Int = 2
    ) -> Submission {
        var notification = Samples.payment("E-\(number)")
        notification.effect = .none
        var submission = Samples.submission(
            notification, body: [UInt8](repeating: 0x20, count: bodyBytes))
        submission.received = Timestamp(microseconds: day * Self.day)
        return submission
    }

    private static var options: JournalStoreOptions {
        var options = Samples.options
        options.snapshotRecords = 1_000_000
        options.snapshotClosingRecords = 1
        return options
    }

    /// Writes the only snapshot again, with another header.
    private func rewriteSnapshot(
        on storage: MemoryStorage, _ change: (inout TablesHeader) -> Void
    ) throws {
        let snapshot = try #require(
            try SnapshotFile.newestGood(directory: "journal", storage: storage))
        var pieces: [(section: UInt32, bytes: [UInt8])] = []
        try snapshot.forEachChunk { pieces.append(($0, [UInt8]($1))) }
        var header = try #require(TablesHeader(pieces[0].bytes))
        change(&header)
        pieces[0].bytes = header.encoded()
        let writer = try SnapshotWriter(
            directory: "journal", storage: storage, point: snapshot.point, store: snapshot.store)
        for (section, bytes) in pieces { try writer.append(section: section, bytes) }
        try writer.finish()
    }

    /// Opens the store, and checks that it remembers each of these events.
    private func recovery(
        of storage: MemoryStorage, knowing count: Int
    ) async throws -> RecoveryReport {
        let store = try Samples.store(on: storage, Samples.options)
        for number in 0..<count {
            let receipt = await store.record(Self.submission(number))
            #expect(receipt.outcome == .duplicate(of: UInt64(number + 1)))
        }
        await store.close()
        return store.recovery
    }

    /// Records that it holds and does not count would be taken in twice, those that it counts and
    /// does not hold never.
    @Test(arguments: [2, 4] as [UInt64])
    func `a snapshot of another sequence is passed over`(sequence: UInt64) async throws {
        let storage = try await journal(days: [0, 0, 0])
        try rewriteSnapshot(on: storage) { $0.sequence = sequence }
        let recovery = try await recovery(of: storage, knowing: 3)
        #expect(recovery.snapshot == nil)
        #expect(recovery.snapshotsRefused == ["0000000003.snapshot was not taken"])
        #expect(recovery.records == 3)
    }

    /// Its content has another form.
    @Test func `a snapshot of another version is passed over while all records are there`()
        async throws
    {
        let storage = try await journal(days: [0, 0, 0])
        try rewriteSnapshot(on: storage) { $0.version = TablesSnapshot.version + 1 }
        let recovery = try await recovery(of: storage, knowing: 3)
        #expect(recovery.snapshot == nil)
        #expect(recovery.records == 3)
    }

    /// Which facts a full order holds follows from `orderFactsMax`.
    @Test func `a snapshot of another limit is passed over`() async throws {
        let storage = try await journal(days: [0, 0, 0])
        try rewriteSnapshot(on: storage) { $0.factsMax -= 1 }
        let recovery = try await recovery(of: storage, knowing: 3)
        #expect(recovery.snapshot == nil)
        #expect(recovery.records == 3)
    }

    @Test func `a snapshot of another limit is all that tells of a beginning that is gone`()
        async throws
    {
        let count = 30
        let storage = try await journal(
            days: (0..<count).map { Int64($0 / 10) }, bodyBytes: 14 << 10, retains: false)
        let marks = try loaded(storage).ages.marks
        #expect(marks.map(\.sequence) == [1, 11, 21])
        try rewriteSnapshot(on: storage) { $0.factsMax -= 1 }
        #expect(throws: JournalError.self) { try loaded(storage) }
        let tables = try loaded(storage, takesAnySnapshot: true)
        #expect(tables.ages.marks == marks)
        let recovery = try await recovery(of: storage, knowing: count)
        #expect(recovery.snapshot == UInt64(count))
        #expect(recovery.records == 0)
    }

    /// Without them, the events of a journal that was read from its beginning would be kept for
    /// ever.
    @Test func `ages are marked from the records`() async throws {
        let storage = try await journal(days: [5, 5, 6, 9, 9])
        let expected = [(1, 5), (3, 6), (4, 9)].map { sequence, day in
            AgeMarks.Mark(
                sequence: sequence, received: Timestamp(microseconds: Int64(day) * Self.day))
        }
        #expect(try loaded(storage).ages.marks == expected, "from the snapshot")
        let snapshots = storage.state.withLock {
            $0.files.keys.filter { $0.hasSuffix(".snapshot") }
        }
        for name in snapshots { try storage.unlink(name) }
        #expect(try loaded(storage).ages.marks == expected, "from the records")
    }

    /// The tables of a start before it serves.
    private func loaded(
        _ storage: MemoryStorage, takesAnySnapshot: Bool = false
    ) throws -> StoreTables {
        var loader = StoreLoader(
            factsMax: Samples.options.orderFactsMax, takesAnySnapshot: takesAnySnapshot)
        let journal = try loader.open("journal", storage, Samples.options.journal)
        journal.close()
        return loader.finish()
    }
}

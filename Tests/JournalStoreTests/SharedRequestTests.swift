import Journal
import Payments
import Records
import Store
import TestSupport
import Testing

@testable import JournalStore

/// Several events of one request in the embedded store.
@Suite(.ownThreads) struct SharedRequestTests {
    static func request(
        _ notes: [Notification], body: [UInt8] = Array("several".utf8)
    ) -> [Submission] {
        notes.enumerated().map { index, note in
            var event = Samples.submission(note, body: body)
            event.part = RecordPart(number: index + 1, count: notes.count)
            return event
        }
    }

    static func payments(_ name: String, _ count: Int) -> [Notification] {
        (1...count).map {
            Samples.payment("\(name)-\($0)", reference: "\(name)-\($0)", transaction: nil)
        }
    }

    private func records(of storage: MemoryStorage) throws -> [(RecordedEvent, [UInt8])] {
        var records: [(RecordedEvent, [UInt8])] = []
        var reader = try JournalReader(directory: "journal", storage: storage)
        _ = try reader.read { _, bytes in
            records.append((try RecordDecoder.event(bytes), [UInt8](bytes)))
        }
        return records
    }

    @Test func `the request is stored once, with the first new event`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        _ = await store.record(Self.request([Samples.payment("E-1"), Samples.payment("E-2")]))
        let notes = ["E-2", "E-3", "E-1", "E-4", "E-5"].map { Samples.payment($0) }
        let receipts = await store.record(Self.request(notes))
        #expect(receipts.map(\.sequence) == [2, 3, 1, 4, 5])
        await store.close()
        let records = try records(of: storage)
        #expect(
            records.map(\.0.part) == [
                RecordPart(number: 1, count: 2), RecordPart(holder: 1, number: 2, count: 2),
                RecordPart(number: 2, count: 5), RecordPart(holder: 3, number: 4, count: 5),
                RecordPart(holder: 3, number: 5, count: 5),
            ])
        let holding = records.filter { String(decoding: $0.1, as: UTF8.self).contains("several") }
        #expect(holding.map(\.0.sequence) == [1, 3])
        var finder = RequestFinder()
        for (event, bytes) in records {
            let request = try bytes.withUnsafeBytes { try finder.request(of: event, $0) }
            #expect(request?.body == Array("several".utf8))
        }
    }

    @Test func `250 events of 100 KB take no more room than their own members`() async throws {
        let storage = MemoryStorage()
        var options = Samples.options
        options.journal = JournalOptions()
        options.journal.preparesInBackground = false
        let store = try Samples.store(on: storage, options)
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 100 << 10)
        let receipts = await store.record(Self.request(Self.payments("P", 250), body: body))
        #expect(receipts.compactMap(\.sequence) == Array(1...250))
        #expect(store.statistics.batches == 1)
        await store.close()
        let bytes = try records(of: storage).reduce(0) { $0 + $1.1.count }
        #expect(bytes < 100 << 10 + 250 * 700)
    }

    @Test func `a request that does not fit beside others gets the next frame`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        storage.holdSyncs()
        let answers = Answers()
        answers.submit(Samples.submission(Samples.payment("FIRST")), to: store)
        storage.waitForSync()
        // The frame holds 64 KiB, and a record 16 KiB at most.
        let large = [UInt8](repeating: UInt8(ascii: "x"), count: 12 << 10)
        for number in 1...3 {
            answers.submit(
                Samples.submission(Samples.payment("L-\(number)"), body: large), to: store)
        }
        let group = Answers()
        group.submit(Self.request(Self.payments("P", 40), body: large), to: store)
        answers.submit(Samples.submission(Samples.payment("LAST")), to: store)
        storage.releaseSync(holding: false)
        answers.wait(for: 5)
        group.wait(for: 40)
        #expect(group.all.compactMap(\.sequence) == Array(5...44))
        #expect(store.statistics.batches >= 3)
        await store.close()
        let again = try Samples.store(on: storage)
        let repeated = await again.record(Self.request(Self.payments("P", 40)))
        #expect(repeated.map(\.outcome) == (5...44).map { .duplicate(of: $0) })
        await again.close()
    }

    @Test func `a request that fits no frame is refused as a whole`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        let receipts = await store.record(Self.request(Self.payments("P", 400)))
        #expect(receipts.allSatisfy { $0.outcome == .refused(.recordTooLong) })
        #expect(await store.order(endpoint: "antom", reference: "P-1") == nil)
        let next = await store.record(Samples.submission(Samples.payment("E-1")))
        #expect(next.outcome == .recorded(1))
        await store.close()
    }

    @Test func `without room on the disk nothing of a request is recorded`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        storage.setFull(true)
        var stored = 0
        var refused: [Receipt] = []
        for number in 0..<40 where refused.isEmpty {
            let receipts = await store.record(Self.request(Self.payments("P\(number)", 20)))
            if receipts[0].sequence == nil { refused = receipts } else { stored += 20 }
        }
        #expect(refused.count == 20)
        #expect(refused.allSatisfy { $0.outcome == .refused(.noSpace) })
        storage.setFull(false)
        let receipts = await store.record(Self.request(Self.payments("P\(stored / 20)", 20)))
        #expect(receipts.map(\.sequence) == (stored + 1...stored + 20).map { UInt64($0) })
        await store.close()
    }

    @Test func `all events wait for the sync, and duplicates of durable ones do not`() throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        let answers = Answers()
        storage.holdSyncs()
        answers.submit(Self.request(Self.payments("P", 3)), to: store)
        storage.waitForSync()
        #expect(answers.count == 0)
        storage.releaseSync()
        answers.wait(for: 3)
        // Nothing new: no sync, so no wait.
        answers.submit(Self.request(Self.payments("P", 3)), to: store)
        answers.wait(for: 3)
        #expect(answers.all.suffix(3).map(\.outcome) == (1...3).map { .duplicate(of: $0) })
        // One is new: the receipts of the others wait with it.
        answers.submit(Self.request(Self.payments("P", 4)), to: store)
        storage.waitForSync()
        #expect(answers.count == 6)
        storage.releaseSync(holding: false)
        answers.wait(for: 4)
    }

    // MARK: Crashes

    /// The numbers of events of a request of 30 that a start finds after a power cut: at every
    /// moment between two syncs, with some of the sectors that were being written.
    private func foundAfterCrashes(_ defect: PlantedDefect?) async throws -> Set<Int> {
        let storage = MemoryStorage()
        var environment = StoreEnvironment()
        environment.plantedDefect = defect
        let store = try Samples.store(on: storage, environment: environment)
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        storage.keepSynced()
        _ = await store.record(Self.request(Self.payments("P", 30)))
        let states = storage.state.withLock { $0.synced ?? [] }
        await store.close()
        var generator = SeededGenerator(seed: 38)
        var found: Set<Int> = []
        for (before, after) in zip(states, states.dropFirst()) {
            let changed = Self.changedSectors(before, after)
            for cut in 0...changed.count {
                // In order, and in any order.
                for kept in [changed.prefix(cut), changed.shuffled(using: &generator).prefix(cut)] {
                    found.insert(try await Self.found(Self.state(before, after, Array(kept))))
                }
            }
        }
        return found
    }

    private struct Sector {
        var path: String
        var place: Range<Int>
    }

    private static func changedSectors(
        _ before: [String: [UInt8]], _ after: [String: [UInt8]]
    ) -> [Sector] {
        after.sorted { $0.key < $1.key }.flatMap { path, bytes in
            stride(from: 0, to: bytes.count, by: 512).compactMap { start in
                let place = start..<min(start + 512, bytes.count)
                guard let old = before[path], old.count == bytes.count else { return nil }
                return old[place] == bytes[place] ? nil : Sector(path: path, place: place)
            }
        }
    }

    private static func state(
        _ before: [String: [UInt8]], _ after: [String: [UInt8]], _ kept: [Sector]
    ) -> [String: [UInt8]] {
        var files = before
        for sector in kept {
            guard let bytes = after[sector.path]?[sector.place] else { continue }
            files[sector.path]?.replaceSubrange(sector.place, with: bytes)
        }
        return files
    }

    private static func found(_ files: [String: [UInt8]]) async throws -> Int {
        let store = try Samples.store(on: MemoryStorage(files))
        var count = 0
        for note in payments("P", 30) {
            let view = await store.order(endpoint: "antom", reference: note.reference ?? "")
            if view != nil { count += 1 }
        }
        await store.close()
        return count
    }

    @Test func `after a crash a request is there as a whole or not at all`() async throws {
        #expect(try await foundAfterCrashes(nil) == [0, 30])
    }

    @Test func `a request that is split over several frames is caught`() async throws {
        let found = try await foundAfterCrashes(.splitsRequests)
        #expect(found.count > 2, "the planted defect went unnoticed")
    }
}

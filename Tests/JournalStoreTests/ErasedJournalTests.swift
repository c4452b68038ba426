import Journal
import Payments
import Records
import Sealing
import Store
import Testing

@testable import JournalStore

/// Erasure in a journal: the keys are gone after every crash, or nothing has happened, and nothing
/// else changes.
@Suite struct ErasedJournalTests {
    private static let master = MasterKey(name: "first", key: [UInt8](repeating: 1, count: 32))!
    private static let secret = Array("Lovelace".utf8)

    private func store(
        _ storage: MemoryStorage, sealed: Bool = true, defect: PlantedDefect? = nil
    ) throws -> JournalStore {
        var options = Samples.options
        options.masterKeys = sealed ? [Self.master] : []
        options.snapshotRecords = 1_000_000
        options.snapshotClosingRecords = 1
        var environment = StoreEnvironment()
        environment.plantedDefect = defect
        return try Samples.store(on: storage, options, environment: environment)
    }

    private func fill(_ store: JournalStore) async {
        let metadata = #"{"note":"Lovelace"}"#
        _ = await store.register(RegistrationTests.registration(metadata: metadata))
        for id in ["E-1", "E-2", "E-3"] {
            let body = Array(#"{"payer":"Lovelace"}"#.utf8)
            _ = await store.record(Samples.submission(Samples.payment(id), body: body))
        }
    }

    private func erase(_ records: [UInt64], _ store: JournalStore) async throws -> ActReceipt {
        let view = try #require(await store.order(endpoint: "antom", reference: "REQ-1"))
        return await store.act(
            Act(
                .erase, by: "admin", remote: "unix", reason: "asked",
                parameters: RecordedAction.parameters(erasing: ErasedRecords(records)),
                endpoint: "antom", provider: "antom", reference: "REQ-1",
                demand: .erase(last: view.last), received: Timestamp(microseconds: 9)))
    }

    /// The opened records of a store.
    private func opened(_ storage: MemoryStorage, _ store: JournalStore) throws -> [[UInt8]] {
        var reader = try JournalReader(directory: "journal", storage: storage)
        var opener = try #require(store.keys?.opener())
        var records: [[UInt8]] = []
        _ = try reader.read { _, record in records.append(try opener.open(Array(record))) }
        return records
    }

    /// Sequences of the records that show the secret, and of those that say `erased`.
    private func sight(
        _ storage: MemoryStorage, _ store: JournalStore
    ) throws -> (shown: [Int], erased: [Int]) {
        let records = try opened(storage, store)
        func places(_ text: [UInt8]) -> [Int] {
            records.indices.filter { records[$0].firstRange(of: text) != nil }.map { $0 + 1 }
        }
        return (places(Self.secret), places(Array(#""erased":"#.utf8)))
    }

    private func copy(_ storage: MemoryStorage) -> [String: [UInt8]] {
        storage.state.withLock { $0.files.mapValues(\.all) }
    }

    @Test func `the records can never be opened again, and all else is as before`() async throws {
        let storage = MemoryStorage()
        var store = try store(storage)
        await fill(store)
        #expect(try sight(storage, store).shown == [1, 2, 3, 4])
        let before = await store.order(endpoint: "antom", reference: "REQ-1")
        #expect(try await erase([1, 3, 4], store) == .recorded(5))
        for isRestarted in [false, true] {
            if isRestarted {
                await store.close()
                store = try self.store(storage)
            }
            let (shown, erased) = try sight(storage, store)
            #expect(shown == [2] && erased == [1, 3, 4])
            var after = await store.order(endpoint: "antom", reference: "REQ-1")
            #expect(after?.sequences == [1, 2, 3, 4, 5])
            after?.sequences.removeLast()
            #expect(after == before)
            let again = Samples.submission(Samples.payment("E-2"))
            #expect(await store.record(again).outcome == .duplicate(of: 3))
        }
        #expect(await store.record(Samples.submission(Samples.payment("E-9"))).sequence == 6)
        #expect(try opened(storage, store)[5].firstRange(of: Array(#""request":"#.utf8)) != nil)
        await store.close()
    }

    /// Another link to the old file shows what is left of it.
    @Test func `the old file is overwritten`() async throws {
        let storage = MemoryStorage()
        let store = try store(storage)
        await fill(store)
        try storage.link("journal/keys", to: "journal/old")
        #expect(try await erase([2], store) == .recorded(5))
        let files = copy(storage)
        #expect(files["journal/old"]?.allSatisfy { $0 == 0 } == true)
        #expect(files["journal/keys"]?.starts(with: "ipnd keys".utf8) == true)
        #expect(files["journal/keys.tmp"] == nil)
        await store.close()
    }

    @Test func `without keys it is refused`() async throws {
        let storage = MemoryStorage()
        let store = try store(storage, sealed: false)
        await fill(store)
        #expect(try await erase([2], store) == .denied(.notSealed))
        let view = try #require(await store.order(endpoint: "antom", reference: "REQ-1"))
        #expect(view.last == 4)
        await store.close()
    }

    @Test func `an order that has changed is not erased`() async throws {
        let storage = MemoryStorage()
        let store = try store(storage)
        await fill(store)
        let act = Act(
            .erase, by: "admin", remote: "unix",
            parameters: RecordedAction.parameters(erasing: ErasedRecords([2])),
            endpoint: "antom", provider: "antom", reference: "REQ-1", demand: .erase(last: 3),
            received: Timestamp(microseconds: 9))
        #expect(await store.act(act) == .denied(.orderChanged(last: 4)))
        #expect(try sight(storage, store).erased == [])
        await store.close()
    }

    /// A power cut at any moment leaves all of it or nothing: with the record of the erasure, the
    /// next start has none of the keys; without it, it has all of them.
    @Test func `a crash leaves it done or not begun`() async throws {
        let (done, open, wrong) = try await crashes(nil)
        #expect(done > 0 && open > 0 && wrong == 0)
    }

    @Test func `keys that are destroyed too early are noticed`() async throws {
        #expect(try await crashes(.destroysKeysEarly).wrong > 0)
    }

    /// The states after a power cut at each sync: those in which the records are erased, those in
    /// which they are not, and those in which the keys contradict the record of the erasure.
    private func crashes(
        _ defect: PlantedDefect?
    ) async throws -> (done: Int, open: Int, wrong: Int) {
        let storage = MemoryStorage()
        let store = try store(storage, defect: defect)
        await fill(store)
        storage.keepSynced()
        #expect(try await erase([2, 3], store) == .recorded(5))
        _ = await store.record(Samples.submission(Samples.payment("E-4")))
        await store.close()
        let states = storage.state.withLock { $0.synced ?? [] }
        #expect(states.count > 3)
        var (done, open, wrong) = (0, 0, 0)
        for files in states {
            let image = MemoryStorage(files)
            let recovered = try self.store(image)
            let isRecorded = recovered.commitFeed.durableSequence >= 5
            let (shown, erased) = try sight(image, recovered)
            let isRight =
                isRecorded
                ? shown.prefix(2) == [1, 4] && erased == [2, 3]
                : shown.prefix(4) == [1, 2, 3, 4] && erased == []
            let isKeyless = try isKeyless(image, [2, 3])
            await recovered.close()
            if !isRight || isKeyless != isRecorded {
                wrong += 1
            } else if isRecorded {
                done += 1
            } else {
                open += 1
            }
        }
        return (done, open, wrong)
    }

    /// Whether the file has no key of any of these records.
    private func isKeyless(_ storage: MemoryStorage, _ records: [UInt64]) throws -> Bool {
        let bytes = try #require(copy(storage)["journal/keys"])
        let ring = try KeyRing(unwrapping: bytes, of: nil, with: [Self.master])
        return !ring.hasKey(in: ErasedRecords(records).ranges)
    }

    /// A copy of the file from before the erasure, put in its place, and restarts with and without
    /// the snapshot that has the erasure.
    @Test(arguments: [true, false])
    func `an older file of keys is of no use`(_ hasSnapshot: Bool) async throws {
        #expect(try await staysErased(nil, hasSnapshot: hasSnapshot))
    }

    @Test func `a snapshot without the erasure is noticed`() async throws {
        #expect(try await !staysErased(.forgetsErasures, hasSnapshot: true))
    }

    private func staysErased(
        _ defect: PlantedDefect?, hasSnapshot: Bool
    ) async throws -> Bool {
        let storage = MemoryStorage()
        let before = try store(storage, defect: defect)
        await fill(before)
        let older = try #require(copy(storage)["journal/keys"])
        #expect(try await erase([2, 3], before) == .recorded(5))
        await before.close()
        var files = copy(storage)
        #expect(files["journal/keys"] != older)
        files["journal/keys"] = older
        let snapshots = files.keys.filter { $0.hasSuffix(".snapshot") }
        #expect(!snapshots.isEmpty)
        if !hasSnapshot { for name in snapshots { files[name] = nil } }
        let image = MemoryStorage(files)
        let store = try store(image)
        let isErased = try sight(image, store).erased == [2, 3]
        await store.close()
        return try isErased && isKeyless(image, [2, 3])
    }

    /// What was in a backup from before is not in it after the next run.
    @Test func `the next backup has no key of it`() async throws {
        let storage = MemoryStorage()
        let store = try store(storage)
        await fill(store)
        func backup() throws -> JournalBackup.Keys {
            try JournalBackup(of: "journal", to: "backup", storage: storage).run().keys
        }
        #expect(try backup() == .copied)
        let older = try #require(copy(storage)["backup/keys"])
        #expect(try await erase([2, 3], store) == .recorded(5))
        await store.close()
        #expect(try backup() == .copied)
        let files = copy(storage)
        let bytes = try #require(files["backup/keys"])
        let ring = try KeyRing(unwrapping: bytes, of: nil, with: [Self.master])
        #expect(bytes != older && !ring.hasKey(in: [2...3]))
        let line = older.split(separator: UInt8(ascii: "\n")).first {
            $0.starts(with: "keys ".utf8)
        }
        let secret = Array(try #require(line))
        #expect(!files.values.contains { $0.firstRange(of: secret) != nil })
    }

    /// The keys' own file cannot be written: the act is refused, and nothing has changed.
    @Test func `a full disk refuses the act alone`() async throws {
        let storage = MemoryStorage()
        let store = try store(storage)
        await fill(store)
        storage.refuse("journal/keys.tmp")
        #expect(try await erase([2], store) == .refused(.noSpace))
        #expect(try sight(storage, store).shown == [1, 2, 3, 4])
        storage.refuse(nil)
        #expect(try await erase([2], store) == .recorded(5))
        #expect(try sight(storage, store).shown == [1, 3, 4])
        await store.close()
    }

    /// Everything up to a record, as `retainDays` erases it.
    @Test func `a beginning leaves few keys`() async throws {
        let storage = MemoryStorage()
        let store = try store(storage)
        await fill(store)
        let act = Act(
            .erase, by: "ipnd", remote: "",
            parameters: RecordedAction.parameters(erasing: ErasedRecords(through: 3)),
            received: Timestamp(microseconds: 9))
        #expect(await store.act(act) == .recorded(5))
        #expect(try sight(storage, store).shown == [4])
        let ring = try #require(store.keys?.current)
        #expect(ring.tree.nodes.count <= 40 && !ring.hasKey(in: [1...3]))
        #expect(ring.hasKey(in: [1...4]))
        await store.close()
    }
}

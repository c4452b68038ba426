import Journal
import Payments
import Records
import Sealing
import Store
import Testing

@testable import JournalStore

/// A journal whose records are sealed: nothing personal is in any of its files, and everything else
/// is as in one that is not.
@Suite struct SealedJournalTests {
    private static let first = MasterKey(name: "first", key: [UInt8](repeating: 1, count: 32))!
    private static let second = MasterKey(name: "second", key: [UInt8](repeating: 2, count: 32))!
    /// What must not be readable: from a header, the target, the body, the peer, and metadata.
    private static let secrets = [
        "SANDBOX_1", "/ipn/antom", "Lovelace", "203.0.113.7", "127.0.0.1", "sweetheart",
    ]
    private static let metadata = #"{"note":"sweetheart"}"#

    private func store(
        _ storage: MemoryStorage, _ masters: [MasterKey] = [first]
    ) throws -> JournalStore {
        var options = Samples.options
        options.masterKeys = masters
        options.snapshotRecords = 1_000_000
        options.snapshotClosingRecords = 1
        return try Samples.store(on: storage, options)
    }

    private static func submission(_ id: String) -> Submission {
        Samples.submission(
            Samples.payment(id), body: Array(#"{"payer":"Lovelace"}"#.utf8))
    }

    /// One record of each kind that has something personal.
    private func fill(_ store: JournalStore) async throws {
        _ = await store.register(RegistrationTests.registration(metadata: Self.metadata))
        let view = try #require(await store.order(endpoint: "antom", reference: "REQ-1"))
        var registered = RegistrationTests.registration(minor: 1, metadata: Self.metadata)
            .registered
        registered.expectation.amount = Samples.money(4300)
        let receipt = await store.act(
            Act(
                .correct, by: "admin", remote: "unix", reason: "a typo", endpoint: "antom",
                provider: "antom", reference: "REQ-1",
                demand: .correct(registered, last: view.last), received: Timestamp(microseconds: 9))
        )
        #expect(receipt == .recorded(2))
        _ = await store.record(Self.submission("E-1"))
        var parts = [Self.submission("E-2"), Self.submission("E-3")]
        for index in parts.indices { parts[index].part = RecordPart(number: index + 1, count: 2) }
        _ = await store.record(parts)
    }

    private func records(_ storage: MemoryStorage) throws -> [[UInt8]] {
        var reader = try JournalReader(directory: "journal", storage: storage)
        var records: [[UInt8]] = []
        _ = try reader.read { _, record in records.append(Array(record)) }
        return records
    }

    private func files(_ storage: MemoryStorage) -> [String: [UInt8]] {
        storage.state.withLock { $0.files.mapValues(\.all) }
    }

    private func reason(_ storage: MemoryStorage, _ masters: [MasterKey]) -> String? {
        do {
            _ = try store(storage, masters)
            return nil
        } catch {
            return (error as? JournalError)?.reason
        }
    }

    @Test func `nothing personal is in any file, and all of it is read with the key`()
        async throws
    {
        let (sealed, plain) = (MemoryStorage(), MemoryStorage())
        for (storage, masters) in [(sealed, [Self.first]), (plain, [])] {
            let store = try store(storage, masters)
            try await fill(store)
            await store.close()
        }
        let files = files(sealed)
        #expect(files.keys.contains { $0.hasSuffix(".snapshot") })
        #expect(files["journal/keys"] != nil)
        for secret in Self.secrets {
            let bytes = Array(secret.utf8)
            #expect(self.files(plain).values.contains { $0.firstRange(of: bytes) != nil })
            for (name, content) in files {
                #expect(content.firstRange(of: bytes) == nil, "\(secret) is in \(name)")
            }
        }
        let store = try store(sealed)
        var opener = try #require(store.keys?.opener())
        let opened = try records(sealed).map { try opener.open($0) }
        // An act has a random id.
        let expected = try records(plain)
        #expect(opened.count == 5 && opened.first == expected.first)
        #expect(opened.suffix(3) == expected.suffix(3))
        #expect(opened[1].firstRange(of: Array(Self.metadata.utf8)) != nil)
        await store.close()
    }

    @Test func `orders and duplicates are as without keys`() async throws {
        let (sealed, plain) = (MemoryStorage(), MemoryStorage())
        for (storage, masters) in [(sealed, [Self.first]), (plain, [])] {
            let before = try store(storage, masters)
            try await fill(before)
            await before.close()
        }
        for takesSnapshot in [true, false] {
            if !takesSnapshot {
                sealed.state.withLock { state in
                    for name in state.files.keys where name.hasSuffix(".snapshot") {
                        state.files[name] = nil
                    }
                }
            }
            let (one, two) = (try store(sealed), try store(plain, []))
            let (order, expected) = (
                await one.order(endpoint: "antom", reference: "REQ-1"),
                await two.order(endpoint: "antom", reference: "REQ-1")
            )
            #expect(order != nil && order == expected)
            #expect(await one.record(Self.submission("E-3")).outcome == .duplicate(of: 5))
            let corrected = RegistrationTests.registration(minor: 4300, metadata: Self.metadata)
            #expect(await one.register(corrected).outcome == .duplicate(of: 2))
            let other = RegistrationTests.registration(minor: 4300, metadata: #"{"note":""}"#)
            #expect(await one.register(other).outcome == .conflict(2))
            await one.close()
            await two.close()
        }
    }

    @Test func `no record is sealed before its key is on the disk`() async throws {
        let storage = MemoryStorage()
        storage.keepSynced()
        let store = try store(storage)
        try await fill(store)
        await store.close()
        let states = storage.state.withLock { $0.synced ?? [] }
        let sealed = states.filter { files in
            files.contains {
                $0.key.hasSuffix(".segment") && $0.value.firstRange(of: Self.mark) != nil
            }
        }
        #expect(!sealed.isEmpty && sealed.count < states.count)
        #expect(sealed.allSatisfy { $0["journal/keys"]?.isEmpty == false })
    }

    private static let mark = Array(#""sealed":{"of""#.utf8)

    @Test func `a missing, wrong or absent key is refused by name`() async throws {
        let storage = MemoryStorage()
        let before = try store(storage)
        try await fill(before)
        await before.close()
        let content = files(storage)
        #expect(reason(storage, []) == "master_key_missing")
        #expect(reason(storage, [Self.second]) == "master_key_missing")
        let wrong = try #require(MasterKey(name: "first", key: [UInt8](repeating: 3, count: 32)))
        #expect(reason(storage, [wrong]) == "master_key_wrong")
        #expect(files(storage) == content)
        // Another journal's file, a damaged one, none.
        let other = MemoryStorage()
        other.state.withLock { $0.random = 77 }
        await (try store(other)).close()
        for (bytes, expected) in [
            (files(other)["journal/keys"], "keys_foreign"), (Array("x".utf8), "keys_damaged"),
            (nil, "keys_missing"),
        ] {
            var changed = content
            changed["journal/keys"] = bytes
            #expect(reason(MemoryStorage(changed), [Self.first]) == expected)
        }
        // Even without a master key, sealed records without keys are noticed.
        var changed = content
        changed["journal/keys"] = nil
        #expect(reason(MemoryStorage(changed), []) == "keys_missing")
        // The operator has decided to go on.
        changed["journal/identity"] = nil
        let resigned = try store(MemoryStorage(changed))
        #expect(await resigned.record(Self.submission("E-9")).outcome == .recorded(6))
        await resigned.close()
    }

    @Test func `a master key is replaced without writing the records again`() async throws {
        let storage = MemoryStorage()
        var store = try store(storage)
        try await fill(store)
        await store.close()
        let segments = files(storage).filter { $0.key.hasSuffix(".segment") }
        let ring = try #require(store.keys?.current)
        store = try self.store(storage, [Self.second, Self.first])
        #expect(store.keys?.current == ring)
        await store.close()
        #expect(files(storage).filter { $0.key.hasSuffix(".segment") } == segments)
        #expect(reason(storage, [Self.first]) == "master_key_missing")
        store = try self.store(storage, [Self.second])
        #expect(store.keys?.current == ring)
        await store.close()
    }

    @Test func `a journal that was not sealed opens, and what comes later is`() async throws {
        let storage = MemoryStorage()
        var store = try store(storage, [])
        try await fill(store)
        await store.close()
        let before = try records(storage)
        store = try self.store(storage)
        // The same as before it was sealed.
        let corrected = RegistrationTests.registration(minor: 4300, metadata: Self.metadata)
        #expect(await store.register(corrected).outcome == .duplicate(of: 2))
        #expect(await store.record(Self.submission("E-1")).outcome == .duplicate(of: 3))
        #expect(await store.record(Self.submission("E-9")).outcome == .recorded(6))
        await store.close()
        let after = try records(storage)
        #expect(after.prefix(5) == before[...] && after.count == 6)
        #expect(after[5].firstRange(of: Self.mark) != nil)
        var opener = try #require(store.keys?.opener())
        #expect(try opener.open(before[2]) == before[2])
    }

    /// A journal that has lost its end uses sequences again, some of which were erased.
    @Test(arguments: [6, 7] as [UInt64])
    func `sequences that are used again get new keys`(_ erased: UInt64) async throws {
        let storage = MemoryStorage()
        var store = try store(storage)
        try await fill(store)
        await store.close()
        let content = files(storage)
        store = try self.store(storage)
        _ = await store.record(Self.submission("E-6"))
        var ring = try #require(store.keys?.current)
        ring.destroy([3...3, erased...erased])
        await store.close()
        var lost = content
        lost["journal/keys"] = try ring.wrapped(by: Self.first)
        let again = MemoryStorage(lost)
        store = try self.store(again)
        #expect(await store.record(Self.submission("E-7")).outcome == .recorded(6))
        #expect(await store.record(Self.submission("E-8")).outcome == .recorded(7))
        await store.close()
        var opener = try #require(store.keys?.opener())
        let opened = try records(again).map { try opener.open($0) }
        #expect(opened[5].firstRange(of: Array("Lovelace".utf8)) != nil)
        #expect(opened[2].firstRange(of: Array(#""erased":"request""#.utf8)) != nil)
    }
}

import JSON
import Journal
import Records
import Store
import Testing

@testable import JournalStore

@Suite struct RecentRecordsTests {
    private static func heads(_ sequences: ClosedRange<UInt64>) -> RecordHeads {
        var heads = RecordHeads()
        for sequence in sequences { heads.append(sequence, Array("{\(sequence)".utf8)[...]) }
        return heads
    }

    private static func list(_ heads: RecordHeads, after sequence: UInt64 = 0) -> [String] {
        var texts: [String] = []
        heads.forEach(after: sequence) {
            texts.append("\($0) \(String(decoding: $1, as: UTF8.self))")
        }
        return texts
    }

    @Test func headsKeepOrderAndAreClosed() {
        #expect(Self.list(Self.heads(9...11)) == ["9 {9}", "10 {10}", "11 {11}"])
        #expect(Self.list(Self.heads(9...11), after: 10) == ["11 {11}"])
        #expect(Self.list(Self.heads(9...11), after: 11) == [])
    }

    @Test func whatDoesNotFollowBeginsAnew() {
        var heads = Self.heads(1...2)
        heads.append(Self.heads(3...4))
        #expect(Self.list(heads) == ["1 {1}", "2 {2}", "3 {3}", "4 {4}"])
        heads.append(Self.heads(6...6))
        #expect(Self.list(heads) == ["6 {6}"])
        #expect(heads.first == 6 && heads.end == 7)
    }

    @Test func takenOnceAndInOrder() {
        let recent = RecentRecords(bytesMax: 1000)
        recent.publish(Self.heads(1...2))
        recent.publish(Self.heads(3...3))
        var taken = RecordHeads()
        recent.take(&taken)
        #expect(Self.list(taken) == ["1 {1}", "2 {2}", "3 {3}"])
        recent.publish(Self.heads(4...4))
        recent.take(&taken)
        #expect(Self.list(taken) == ["4 {4}"])
        recent.take(&taken)
        #expect(taken.isEmpty)
    }

    /// More than one piece holds.
    @Test func manyAreTakenOnceAndInOrder() {
        let recent = RecentRecords(bytesMax: 1 << 20)
        for round in UInt64(0)..<30 {
            recent.publish(Self.heads(round * 1000 + 1...(round + 1) * 1000))
        }
        var taken = RecordHeads()
        recent.take(&taken)
        #expect(taken.first == 1 && taken.count == 30_000 && taken.byteCount > 256 << 10)
        #expect(Self.list(taken, after: 29_999) == ["30000 {30000}"])
        recent.take(&taken)
        #expect(taken.isEmpty)
        recent.publish(Self.heads(30_001...30_002))
        recent.publish(Self.heads(40_000...40_000))
        recent.take(&taken)
        #expect(Self.list(taken) == ["40000 {40000}"])
    }

    @Test func whoIsTooSlowMissesTheOldest() {
        let recent = RecentRecords(bytesMax: 20)
        for sequence in UInt64(1)...3 { recent.publish(Self.heads(sequence...sequence)) }
        var taken = RecordHeads()
        recent.take(&taken)
        // Each takes seven bytes.
        #expect(Self.list(taken) == ["3 {3}"])
    }

    /// The heads that the committer hands out are those that are read from the journal.
    @Test func headsOfTheCommitterAndOfTheJournalAreTheSame() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        store.recent.follow()
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        _ = await store.record(Samples.submission(Samples.payment("E-2", reference: nil)))
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        _ = await store.register(RegistrationTests.registration())
        // What is escaped so often that it is too long as text is encoded twice.
        let body = [UInt8](repeating: 1, count: 10_000)
        _ = await store.record(Samples.submission(Samples.payment("E-3"), body: body))
        await store.close()
        var heads = RecordHeads()
        store.recent.take(&heads)
        var expected: [String] = []
        var reader = try JournalReader(directory: "journal", storage: storage)
        _ = try reader.read { sequence, record in
            let head = try RecordHead.bytes(of: record)
            _ = try JSONDocument(parsing: head)
            #expect(head.count < 1000)
            expected.append("\(sequence) \(String(decoding: head, as: UTF8.self))")
        }
        #expect(expected.count == 4)
        #expect(Self.list(heads) == expected)
    }

    @Test func nothingIsKeptWhileNobodyFollows() async throws {
        let store = try Samples.store(on: MemoryStorage())
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        await store.close()
        var heads = RecordHeads()
        store.recent.take(&heads)
        #expect(heads.isEmpty)
    }

    @Test func whatWasRefusedIsNotGivenOut() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        store.recent.follow()
        storage.setFull(true)
        var recorded: UInt64 = 0
        for number in 0..<400 {
            let payment = Samples.payment("E-\(number)", reference: "R-\(number)")
            let receipt = await store.record(Samples.submission(payment))
            guard let sequence = receipt.sequence else { break }
            recorded = sequence
        }
        // The next one gets the sequence of the refused one.
        storage.setFull(false)
        let next = await store.record(Samples.submission(Samples.payment("E-next")))
        #expect(next.sequence == recorded + 1)
        await store.close()
        var heads = RecordHeads()
        store.recent.take(&heads)
        #expect(recorded > 20 && heads.first == 1 && heads.end == recorded + 2)
        #expect(Self.list(heads, after: recorded).allSatisfy { $0.contains("E-next") })
    }
}

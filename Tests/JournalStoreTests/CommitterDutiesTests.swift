import Testing

@testable import JournalStore

@Suite struct CommitterDutiesTests {
    private static let second: UInt64 = 1_000_000_000

    private func duties(snapshot: UInt64 = 0) -> CommitterDuties {
        var options = JournalStoreOptions()
        options.snapshotRecords = 100
        options.snapshotClosingRecords = 10
        options.snapshotSeconds = 60
        return CommitterDuties(options: options, snapshot: snapshot)
    }

    @Test func `the idle marker is due one quiet second after the last write and once`() {
        var duties = duties()
        #expect(duties.deadline == nil)
        duties.noteWrite(at: 5)
        duties.noteWrite(at: 10)
        #expect(duties.deadline == 10 + Self.second)
        let taken = [9, 10, 20].map { duties.takeIdleMarker(at: $0 + Self.second) }
        #expect(taken == [false, true, false])
        #expect(duties.deadline == 5 + 60 * Self.second, "only the snapshot is left to be done")
    }

    @Test func `news is told at once and then not again for a while`() {
        var duties = duties()
        let pause = CommitterDuties.notifyNanosecondsMin
        let beforeAny = duties.takeNotification(at: 4)
        #expect(!beforeAny)
        duties.noteCommit(isUrgent: false)
        let first = [5, 6].map { duties.takeNotification(at: $0) }
        #expect(first == [true, false])
        duties.noteCommit(isUrgent: false)
        duties.noteCommit(isUrgent: false)
        // The committer sleeps a little longer than that: a batch may come and take it along.
        #expect(duties.deadline == 5 + pause + CommitterDuties.notifyDelayNanoseconds)
        let second = [4, 5].map { duties.takeNotification(at: $0 + pause) }
        #expect(second == [false, true])
        #expect(duties.deadline == nil)
    }

    @Test func `urgent news waits for nothing`() {
        var duties = duties()
        duties.noteCommit(isUrgent: false)
        let first = duties.takeNotification(at: 100)
        duties.noteCommit(isUrgent: false)
        duties.noteCommit(isUrgent: true)
        duties.noteCommit(isUrgent: false)
        let second = duties.takeNotification(at: 101)
        #expect(first && second)
    }

    @Test func `the committer wakes for what is due first`() {
        var duties = duties()
        duties.noteWrite(at: 10)
        duties.noteCommit(isUrgent: false)
        let told = duties.takeNotification(at: 10)
        #expect(told && duties.deadline == 10 + Self.second)
        duties.noteCommit(isUrgent: false)
        #expect((duties.deadline ?? 0) < 10 + Self.second)
        duties.noteWrite(at: 0)
        duties.noteCommit(isUrgent: true)
        #expect(duties.deadline == CommitterDuties.notifyDelayNanoseconds)
    }

    @Test(
        arguments: [
            // sequence, closing, due
            (99, false, false), (100, false, true), (9, true, false), (10, true, true),
            (0, true, false),
        ] as [(UInt64, Bool, Bool)])
    func `a snapshot is due by records since the last`(
        records: UInt64, isClosing: Bool, isDue: Bool
    ) {
        var fresh = duties()
        let isDueAtFirst = fresh.takeSnapshot(
            at: records, remembered: Int(records), now: 0, isClosing: isClosing)
        #expect(isDueAtFirst == isDue)
        var started = duties(snapshot: 1000)
        let isDueLater = started.takeSnapshot(
            at: 1000 + records, remembered: 399, now: 0, isClosing: isClosing)
        #expect(isDueLater == isDue)
    }

    /// A snapshot costs as much as it holds: with a long history it takes more records to pay it.
    @Test(arguments: [(400, 100), (403, 100), (404, 101), (4000, 1000)])
    func `a snapshot is due by records for what it holds`(remembered: Int, records: UInt64) {
        let isDue = [records - 1, records].map { count in
            var duties = duties(snapshot: 5000)
            return duties.takeSnapshot(
                at: 5000 + count, remembered: remembered, now: 0, isClosing: false)
        }
        #expect(isDue == [false, true])
        var closing = duties(snapshot: 5000)
        let isDueAtTheEnd = closing.takeSnapshot(
            at: 5010, remembered: remembered, now: 0, isClosing: true)
        #expect(isDueAtTheEnd)
    }

    @Test func `a snapshot is due some time after the first record without one`() {
        var duties = duties()
        func take(_ sequence: UInt64, at seconds: UInt64) -> Bool {
            duties.takeSnapshot(
                at: sequence, remembered: 1, now: seconds * Self.second, isClosing: false)
        }
        duties.noteWrite(at: 10 * Self.second)
        duties.noteWrite(at: 50 * Self.second)
        _ = duties.takeIdleMarker(at: 55 * Self.second)
        #expect(duties.deadline == 70 * Self.second, "the committer must wake for it")
        #expect(!take(2, at: 69))
        #expect(take(2, at: 70))
        #expect(duties.deadline == nil, "one is being written")
        duties.noteWrite(at: 75 * Self.second)
        _ = duties.takeIdleMarker(at: 80 * Self.second)
        #expect(duties.deadline == nil, "and the next one waits for its end")
        duties.endSnapshot()
        #expect(duties.deadline == 135 * Self.second)
        #expect(!take(3, at: 134))
        #expect(take(3, at: 200))
    }

    @Test(arguments: [(0, 60), (59, 1), (60, 0), (1_000_000, 0)] as [(UInt64, UInt64)])
    func `a restart does not put a snapshot off`(ageSeconds: UInt64, restSeconds: UInt64) {
        var duties = duties(snapshot: 5)
        duties.begin(at: 7, sequence: 5, ageSeconds: ageSeconds)
        #expect(duties.deadline == nil, "the snapshot covers all")
        duties.begin(at: 7, sequence: 6, ageSeconds: ageSeconds)
        #expect(duties.deadline == 7 + restSeconds * Self.second)
        duties.noteWrite(at: 7)
        _ = duties.takeIdleMarker(at: 7 + Self.second)
        #expect(duties.deadline == 7 + restSeconds * Self.second, "the oldest record decides")
    }

    @Test func `without snapshots no time brings one`() {
        var options = JournalStoreOptions()
        options.snapshotRecords = 0
        options.snapshotSeconds = 1
        var duties = CommitterDuties(options: options, snapshot: 0)
        duties.noteWrite(at: 0)
        _ = duties.takeIdleMarker(at: Self.second)
        #expect(duties.deadline == nil)
        let isDue = duties.takeSnapshot(
            at: 10, remembered: 10, now: 100 * Self.second, isClosing: false)
        #expect(!isDue)
    }

    @Test func `one snapshot is written at a time`() {
        var duties = duties()
        func take(_ sequence: UInt64) -> Bool {
            duties.takeSnapshot(at: sequence, remembered: 1, now: 0, isClosing: false)
        }
        let first = take(100)
        #expect(first && duties.isWritingSnapshot)
        let meanwhile = take(300)
        #expect(!meanwhile)
        duties.endSnapshot()
        let next = take(300)
        #expect(next)
    }

    @Test func `forgetting takes each shard once and never goes back`() {
        var duties = duties()
        duties.beginForgetting(before: 50)
        #expect(duties.deadline == 0, "there is work, so the committer must not sleep")
        duties.beginForgetting(before: 60)
        var shards: [Int] = []
        while let shard = duties.takeShardToForget() {
            shards.append(shard.index)
            #expect(shard.before == 50)
        }
        #expect(shards == Array(0..<StoreShard.count))
        duties.beginForgetting(before: 50)
        let again = duties.takeShardToForget()
        #expect(again == nil)
        duties.beginForgetting(before: 51)
        let later = duties.takeShardToForget()
        #expect(later?.before == 51)
    }
}

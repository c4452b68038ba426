import Testing

@testable import Store

struct CommitterDutiesTests {
    private static let second: UInt64 = 1_000_000_000

    private func duties(snapshot: UInt64 = 0) -> CommitterDuties {
        var options = JournalStoreOptions()
        options.snapshotRecords = 100
        options.snapshotClosingRecords = 10
        return CommitterDuties(options: options, snapshot: snapshot)
    }

    @Test func theIdleMarkerIsDueOneQuietSecondAfterTheLastWriteAndOnce() {
        var duties = duties()
        #expect(duties.deadline == nil)
        duties.noteWrite(at: 5)
        duties.noteWrite(at: 10)
        #expect(duties.deadline == 10 + Self.second)
        let taken = [9, 10, 20].map { duties.takeIdleMarker(at: $0 + Self.second) }
        #expect(taken == [false, true, false])
        #expect(duties.deadline == nil)
    }

    @Test func newsIsToldAtOnceAndThenNotAgainForAWhile() {
        var duties = duties()
        let pause = CommitterDuties.newsNanosecondsMin
        let beforeAny = duties.takeNews(at: 4)
        #expect(!beforeAny)
        duties.noteNews(isUrgent: false)
        let first = [5, 6].map { duties.takeNews(at: $0) }
        #expect(first == [true, false])
        duties.noteNews(isUrgent: false)
        duties.noteNews(isUrgent: false)
        // The committer sleeps a little longer than that: a batch may come and take it along.
        #expect(duties.deadline == 5 + pause + CommitterDuties.newsPatienceNanoseconds)
        let second = [4, 5].map { duties.takeNews(at: $0 + pause) }
        #expect(second == [false, true])
        #expect(duties.deadline == nil)
    }

    @Test func urgentNewsWaitsForNothing() {
        var duties = duties()
        duties.noteNews(isUrgent: false)
        let first = duties.takeNews(at: 100)
        duties.noteNews(isUrgent: false)
        duties.noteNews(isUrgent: true)
        duties.noteNews(isUrgent: false)
        let second = duties.takeNews(at: 101)
        #expect(first && second)
    }

    @Test func theCommitterWakesForWhatIsDueFirst() {
        var duties = duties()
        duties.noteWrite(at: 10)
        duties.noteNews(isUrgent: false)
        let told = duties.takeNews(at: 10)
        #expect(told && duties.deadline == 10 + Self.second)
        duties.noteNews(isUrgent: false)
        #expect((duties.deadline ?? 0) < 10 + Self.second)
        duties.noteWrite(at: 0)
        duties.noteNews(isUrgent: true)
        #expect(duties.deadline == CommitterDuties.newsPatienceNanoseconds)
    }

    @Test(
        arguments: [
            // sequence, closing, due
            (99, false, false), (100, false, true), (9, true, false), (10, true, true),
            (0, true, false),
        ] as [(UInt64, Bool, Bool)])
    func aSnapshotIsDueByRecordsSinceTheLast(
        records: UInt64, isClosing: Bool, isDue: Bool
    ) {
        var fresh = duties()
        let isDueAtFirst = fresh.takeSnapshot(at: records, isClosing: isClosing)
        #expect(isDueAtFirst == isDue)
        var started = duties(snapshot: 1000)
        let isDueLater = started.takeSnapshot(at: 1000 + records, isClosing: isClosing)
        #expect(isDueLater == isDue)
    }

    @Test func oneSnapshotIsWrittenAtATime() {
        var duties = duties()
        let first = duties.takeSnapshot(at: 100, isClosing: false)
        #expect(first && duties.isWritingSnapshot)
        let meanwhile = duties.takeSnapshot(at: 300, isClosing: false)
        #expect(!meanwhile)
        duties.endSnapshot()
        let next = duties.takeSnapshot(at: 300, isClosing: false)
        #expect(next)
    }

    @Test func forgettingTakesEachShardOnceAndNeverGoesBack() {
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

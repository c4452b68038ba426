/// The committer's duties between batches, and when they are due: notifying readers of new records,
/// the idle marker, a snapshot, forgetting old events.
///
/// A pure state machine over the monotonic clock (nanoseconds) and sequences.
struct CommitterDuties {
    private let idleNanoseconds: UInt64
    private let snapshotRecords: UInt64
    private let snapshotClosingRecords: UInt64
    private let snapshotSeconds: UInt64

    /// The deadline of the idle marker; nil when the journal ends with one.
    private(set) var idleDeadline: UInt64?
    /// When readers may be notified; nil when there is nothing new.
    private var notifyTime: UInt64?
    /// When they may next be notified without urgency.
    private var nextNotify: UInt64 = 0
    private(set) var isWritingSnapshot = false
    /// The last record of the newest snapshot, begun or done.
    private var snapshotSequence: UInt64
    /// Snapshot deadline regardless of record count; nil if nothing is new.
    private var snapshotDeadline: UInt64?
    /// When the journal's place is checked next.
    private var nextPlaceCheck: UInt64 = 0
    private var forgettingBefore: UInt64 = 0
    private var nextShardToForget = StoreShard.count

    /// Least time between two notifications of the readers. Each wakes two threads, which a busy
    /// server would otherwise do for every batch. After a pause they are notified at once.
    static let notifyNanosecondsMin: UInt64 = 20_000_000
    /// Extra time that the committer sleeps when a notification is due: under load the next batch
    /// wakes it, and a round that gathers is not cut in two.
    static let notifyDelayNanoseconds: UInt64 = 5_000_000
    /// Remembered events for each new record before a snapshot is due. A snapshot costs in
    /// proportion to the events that it holds, so each record then bears the same cost, however
    /// long the history is.
    static let rememberedPerRecordMax = 4
    private static let placeCheckNanoseconds: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - snapshot: The last record of the snapshot that the start used, or 0.
    init(options: JournalStoreOptions, snapshot: UInt64) {
        idleNanoseconds = UInt64(options.idleMarkerSeconds) * 1_000_000_000
        snapshotRecords = UInt64(options.snapshotRecords)
        snapshotClosingRecords = UInt64(options.snapshotClosingRecords)
        snapshotSeconds = UInt64(options.snapshotSeconds)
        snapshotSequence = snapshot
    }

    /// When the committer must wake even if nothing is submitted; in the past when work is left.
    var deadline: UInt64? {
        if nextShardToForget < StoreShard.count { return 0 }
        var deadline = idleDeadline ?? .max
        if let notifyTime { deadline = min(deadline, notifyTime + Self.notifyDelayNanoseconds) }
        if let snapshotDeadline, !isWritingSnapshot { deadline = min(deadline, snapshotDeadline) }
        return deadline == .max ? nil : deadline
    }

    /// Notes that something was written at `now`.
    mutating func noteWrite(at now: UInt64) {
        idleDeadline = now + idleNanoseconds
        noteUncovered(at: now, ageSeconds: 0)
    }

    /// Begins at `now` with a journal that ends with `sequence`. If its last records are in no
    /// snapshot, the oldest of them came `ageSeconds` ago.
    mutating func begin(at now: UInt64, sequence: UInt64, ageSeconds: UInt64) {
        if sequence > snapshotSequence { noteUncovered(at: now, ageSeconds: ageSeconds) }
    }

    private mutating func noteUncovered(at now: UInt64, ageSeconds: UInt64) {
        guard snapshotRecords > 0, snapshotDeadline == nil else { return }
        let rest = snapshotSeconds - min(ageSeconds, snapshotSeconds)
        snapshotDeadline = now + rest * 1_000_000_000
    }

    /// Notes new records. They are urgent when a reader waits for an order that they change.
    mutating func noteCommit(isUrgent: Bool) {
        notifyTime = isUrgent ? 0 : notifyTime ?? nextNotify
    }

    /// Returns whether readers are to be notified now, which then counts as done.
    mutating func takeNotification(at now: UInt64) -> Bool {
        guard let notifyTime, now >= notifyTime else { return false }
        self.notifyTime = nil
        nextNotify = now + Self.notifyNanosecondsMin
        return true
    }

    /// Returns whether the journal's place is to be checked now: duplicates alone write nothing,
    /// and would not show that it has been moved away.
    mutating func takePlaceCheck(at now: UInt64) -> Bool {
        guard now >= nextPlaceCheck else { return false }
        nextPlaceCheck = now + Self.placeCheckNanoseconds
        return true
    }

    /// Returns whether the idle marker is due, which then counts as written.
    mutating func takeIdleMarker(at now: UInt64) -> Bool {
        guard let deadline = idleDeadline, now >= deadline else { return false }
        idleDeadline = nil
        return true
    }

    /// Returns whether a snapshot of `remembered` events is due at `sequence`, which then counts as
    /// begun. One is written at a time.
    mutating func takeSnapshot(
        at sequence: UInt64, remembered: Int, now: UInt64, isClosing: Bool
    ) -> Bool {
        guard snapshotRecords > 0, !isWritingSnapshot, sequence > snapshotSequence else {
            return false
        }
        let worth = max(snapshotRecords, UInt64(remembered / Self.rememberedPerRecordMax))
        let least = isClosing ? snapshotClosingRecords : worth
        let isLate = snapshotDeadline.map { now >= $0 } ?? false
        guard isLate || sequence - snapshotSequence >= least else { return false }
        snapshotSequence = sequence
        snapshotDeadline = nil
        isWritingSnapshot = true
        return true
    }

    /// Notes that the snapshot is written or has failed.
    mutating func endSnapshot() { isWritingSnapshot = false }

    /// Begins to forget the events recorded before `sequence`, shard after shard.
    mutating func beginForgetting(before sequence: UInt64) {
        guard nextShardToForget == StoreShard.count, sequence > forgettingBefore else { return }
        forgettingBefore = sequence
        nextShardToForget = 0
    }

    /// Returns the next shard that is to forget, which then counts as done.
    mutating func takeShardToForget() -> (index: Int, before: UInt64)? {
        guard nextShardToForget < StoreShard.count else { return nil }
        defer { nextShardToForget += 1 }
        return (nextShardToForget, forgettingBefore)
    }
}

/// The warning that the next segment cannot be prepared.
struct PreparationWarning {
    private var isGiven = false

    /// Returns the warning, once for each failure: nearly always there is still room in the present
    /// segment.
    mutating func text(_ failure: (any Error)?) -> String? {
        guard let failure else {
            isGiven = false
            return nil
        }
        guard !isGiven else { return nil }
        isGiven = true
        return "the next segment cannot be prepared: \(failure). Notifications are refused once "
            + "the present one is full"
    }
}

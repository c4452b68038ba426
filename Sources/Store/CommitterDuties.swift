/// When the committer has something to do that nobody asked for: the idle marker, a snapshot, forgetting.
///
/// A pure state machine over the monotonic clock (nanoseconds) and sequences.
struct CommitterDuties {
    private let idleNanoseconds: UInt64
    private let snapshotRecords: UInt64

    /// When the idle marker is due; nil when the journal ends with one.
    private(set) var idleDeadline: UInt64?
    private var snapshotSequence: UInt64
    private var isWritingSnapshot = false

    /// - Parameter sequence: the last record of the snapshot that was started from, or 0.
    init(options: JournalStoreOptions, sequence: UInt64) {
        idleNanoseconds = UInt64(options.idleMarkerSeconds) * 1_000_000_000
        snapshotRecords = UInt64(options.snapshotRecords)
        snapshotSequence = sequence
    }

    /// When the committer must wake even if nothing comes.
    var deadline: UInt64? { idleDeadline }

    /// Something was written at `now`.
    mutating func noteWrite(at now: UInt64) { idleDeadline = now + idleNanoseconds }

    /// Whether the idle marker is due; it counts as written then.
    mutating func takeIdleMarker(at now: UInt64) -> Bool {
        guard let deadline = idleDeadline, now >= deadline else { return false }
        idleDeadline = nil
        return true
    }

    /// Whether a snapshot is due at `sequence`; it counts as begun then. One at a time.
    mutating func takeSnapshot(at sequence: UInt64, isClosing: Bool = false) -> Bool {
        guard snapshotRecords > 0, !isWritingSnapshot, sequence > snapshotSequence else { return false }
        guard isClosing || sequence - snapshotSequence >= snapshotRecords else { return false }
        snapshotSequence = sequence
        isWritingSnapshot = true
        return true
    }

    /// The snapshot that was begun is done, or has failed.
    mutating func endSnapshot() { isWritingSnapshot = false }
}

/// The place where the recovery begins to read: after the newest good snapshot that the owner
/// accepts, or at the journal's first record (rows P1 to P4 of the decision table).
struct RecoveryStart {
    /// The last sequence that need not be replayed; 0 without a snapshot.
    private(set) var covered: UInt64 = 0
    private(set) var witness = SnapshotWitness()
    private(set) var refused: [String] = []

    /// Tries the snapshots, newest first.
    static func choose(
        _ list: SegmentList, directory: String, storage: any Storage,
        restore: (Snapshot) throws -> Bool
    ) throws(JournalError) -> RecoveryStart {
        var start = RecoveryStart()
        for sequence in list.snapshots {
            switch try Snapshot.check(sequence, directory: directory, storage: storage) {
            case .failure(let damage):
                start.refused.append(damage.description)
            case .success(let snapshot):
                try list.note?.check(snapshot)
                start.witness.add(snapshot)
                let isTaken: Bool
                do { isTaken = try restore(snapshot) } catch {
                    throw .refused(
                        file: snapshot.name, offset: 0, sequence: sequence, detail: "\(error)")
                }
                if isTaken {
                    start.covered = sequence
                    return start
                }
                start.refused.append("\(snapshot.name) was not taken")
            }
        }
        return start
    }

    /// The segments to read: from the one that holds the last covered record, which proves that the
    /// snapshot belongs to this journal; without a snapshot from the first one, archived ones
    /// included.
    ///
    /// - Parameter assumedThrough: The records up to this one need not exist.
    func segments(
        of list: SegmentList, directory: String, storage: any Storage, assumedThrough: UInt64 = 0
    ) throws(JournalError) -> ArraySlice<SegmentEntry> {
        let wanted = max(covered, assumedThrough + 1)
        var segments = list.segments[...]
        if let first = segments.first, first.header.firstSequence > wanted {
            segments = list.archive(before: first, directory, storage) + segments
        }
        if let index = segments.lastIndex(where: { $0.header.firstSequence <= wanted }) {
            if let note = list.note, let live = list.segments.first,
                live.header.firstSequence > note.first
            {
                let archived = list.archive(before: live, directory, storage)
                try note.checkNothingIsMissing(before: archived.first ?? live)
            }
            return segments[index...]
        }
        let first = segments.first
        throw .damaged(
            Damage(
                reason: .segmentMissing, file: first?.name ?? "", offset: 16,
                detail: "it is segment \(first?.header.number ?? 0), the ones before it are gone, "
                    + "and no good snapshot covers them"))
    }
}

/// Checks snapshots against the journal while it is read: the frame that ends with a snapshot's
/// last sequence must have the hash in the snapshot, and the journal must reach that sequence.
struct SnapshotWitness {
    private var waiting: [(name: String, point: SnapshotPoint)] = []

    mutating func add(_ snapshot: Snapshot) { waiting.append((snapshot.name, snapshot.point)) }

    /// Checks a good frame. Returns the damage if a snapshot has another hash for it.
    mutating func see(_ frame: FrameHeader, chain: ChainValue) -> Damage? {
        guard !waiting.isEmpty, !frame.isIdleMarker else { return nil }
        for (name, point) in waiting
        where point.sequence >= frame.firstSequence && point.sequence < frame.endSequence {
            guard point.sequence == frame.endSequence - 1, point.chain == chain else {
                return Damage(
                    reason: .snapshotForeign, file: name, offset: 16,
                    detail: "it is not a snapshot of this journal: record \(point.sequence) "
                        + "is in a frame with another hash")
            }
        }
        waiting.removeAll { $0.point.sequence < frame.endSequence }
        return nil
    }

    /// Returns the damage if a snapshot covers records after `journalEnd`, the end of the journal.
    func missing(journalEnd: UInt64) -> Damage? {
        guard let (name, point) = waiting.first else { return nil }
        return Damage(
            reason: .snapshotAhead, file: name, offset: 16,
            detail: "it covers records up to \(point.sequence), the journal ends before "
                + "\(journalEnd)")
    }
}

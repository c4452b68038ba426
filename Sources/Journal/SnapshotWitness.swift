/// Holds snapshots against the journal while it is read: the frame that ends with a snapshot's last
/// sequence must have the hash that the snapshot remembers, and the journal must reach that far.
struct SnapshotWitness {
    private var waiting: [(name: String, point: SnapshotPoint)] = []

    mutating func add(_ snapshot: Snapshot) { waiting.append((snapshot.name, snapshot.point)) }

    /// Looks at a good frame. Returns the damage when a snapshot's frame is another one.
    mutating func see(_ frame: FrameHeader, chain: ChainValue) -> Damage? {
        guard !waiting.isEmpty, !frame.isIdleMarker else { return nil }
        for (name, point) in waiting
        where point.sequence >= frame.firstSequence && point.sequence < frame.endSequence {
            guard point.sequence == frame.endSequence - 1, point.chain == chain else {
                return Damage(
                    reason: .snapshotForeign, file: name, offset: 16,
                    detail: "it is not a snapshot of this journal: record \(point.sequence) "
                        + "stands in a frame of another hash")
            }
        }
        waiting.removeAll { $0.point.sequence < frame.endSequence }
        return nil
    }

    /// The damage when a snapshot covers records that the journal, which was read to its end, does
    /// not have.
    func missing(journalEnd: UInt64) -> Damage? {
        guard let (name, point) = waiting.first else { return nil }
        return Damage(
            reason: .snapshotAhead, file: name, offset: 16,
            detail: "it covers records up to \(point.sequence), the journal ends before "
                + "\(journalEnd)")
    }
}

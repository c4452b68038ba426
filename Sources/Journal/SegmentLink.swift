/// Whether one segment follows another (rows S5 to S7 of the decision table).
enum SegmentLink {
    /// By number: this needs the headers only.
    static func check(
        _ entry: SegmentEntry, after before: SegmentHeader
    ) throws(JournalError) {
        guard entry.header.number == before.number + 1 else {
            throw damage(
                .segmentMissing, entry, 16,
                "it is segment \(entry.header.number), the one before it in this directory is "
                    + "\(before.number)")
        }
    }

    /// By number, sequence and chain, after the segment before has been read to its end.
    static func check(_ entry: SegmentEntry, after before: SegmentWalk) throws(JournalError) {
        try check(entry, after: before.header)
        guard entry.header.firstSequence == before.nextSequence else {
            throw damage(
                .sequence, entry, 24,
                "it begins with \(entry.header.firstSequence), the segment before it ends before "
                    + "\(before.nextSequence)")
        }
        guard entry.header.chain == before.chain else {
            throw damage(.chain, entry, 48, "it does not follow the segment before it")
        }
    }

    private static func damage(
        _ reason: Damage.Reason, _ entry: SegmentEntry, _ offset: Int, _ detail: String
    ) -> JournalError {
        .damaged(Damage(reason: reason, file: entry.name, offset: offset, detail: detail))
    }
}

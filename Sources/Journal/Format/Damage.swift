/// Where a journal is damaged, and how. `reason` is the code for logs.
package struct Damage: Sendable, Equatable, CustomStringConvertible {
    /// What a crash cannot have done. The raw values are the reason codes; Format.md has the row
    /// that each stands for.
    package enum Reason: String, Sendable, CaseIterable {
        /// A file ends in `.segment` without being a segment's name.
        case segmentName = "journal_segment_name"
        /// Snapshots or archived segments, but no segment.
        case segmentsMissing = "journal_segments_missing"
        /// A segment header whose checksum does not hold.
        case segmentHeader = "journal_segment_header"
        /// A segment of a format that this program does not know.
        case segmentVersion = "journal_segment_version"
        /// The header names another first sequence than the file.
        case segmentRenamed = "journal_segment_renamed"
        /// The file is shorter or longer than its header says.
        case segmentSize = "journal_segment_size"
        /// A segment before this one is gone.
        case segmentMissing = "journal_segment_missing"
        /// A segment of another journal.
        case segmentForeign = "journal_segment_foreign"
        /// The file that says which journal it is does not hold what was written.
        case identity = "journal_identity"
        /// What is here is not a frame, and a later one is whole or a later segment exists.
        case frame = "journal_frame"
        /// A frame whose checksums hold and whose numbers cannot be.
        case frameImpossible = "journal_frame_impossible"
        /// More bytes behind the last frame than one torn write can leave.
        case strayBytes = "journal_stray_bytes"
        /// A frame or segment out of its turn.
        case sequence = "journal_sequence"
        /// A frame or segment that does not follow what is before it.
        case chain = "journal_chain"
        /// A frame whose records do not add up.
        case records = "journal_records"
        /// A snapshot covers more than the journal holds: the end of the journal is missing.
        case snapshotAhead = "journal_snapshot_ahead"
        /// A snapshot was made from another journal.
        case snapshotForeign = "journal_snapshot_foreign"
    }

    package var reason: Reason
    /// The file's name within the journal's directory (`archive/…` too).
    package var file: String
    /// The byte in that file where the damage begins.
    package var offset: Int
    /// What was found and what was expected, for people.
    package var detail: String

    package var description: String {
        "\(file) is damaged at byte \(offset): \(detail) (\(reason.rawValue))"
    }
}

/// A snapshot that cannot be used: a checksum does not hold from `offset` on.
package struct SnapshotDamage: Error, Sendable, Equatable, CustomStringConvertible {
    package var file: String
    package var offset: Int

    package var description: String { "\(file) is damaged at byte \(offset)" }
}

/// The place and kind of damage in a journal. `reason` is the code for logs.
package struct Damage: Sendable, Equatable, CustomStringConvertible {
    /// The kinds of damage, none of which a crash can cause. The raw values are the reason codes;
    /// the decision table of Format.md has the row of each.
    package enum Reason: String, Sendable, CaseIterable {
        /// A file ends in `.segment` without a valid segment name.
        case segmentName = "journal_segment_name"
        /// Snapshots or archived segments, but no segment.
        case segmentsMissing = "journal_segments_missing"
        /// A segment header has a wrong checksum.
        case segmentHeader = "journal_segment_header"
        /// A segment has a format that this program does not support.
        case segmentVersion = "journal_segment_version"
        /// The header has another first sequence than the file name.
        case segmentRenamed = "journal_segment_renamed"
        /// The file is shorter or longer than its header states.
        case segmentSize = "journal_segment_size"
        /// A segment before this one is missing.
        case segmentMissing = "journal_segment_missing"
        /// A segment belongs to another journal.
        case segmentForeign = "journal_segment_foreign"
        /// The checksum of the file `identity` is wrong.
        case identity = "journal_identity"
        /// There is no good frame here, although a later frame is whole or a later segment exists.
        case frame = "journal_frame"
        /// The checksums of a frame are right, but its numbers are impossible.
        case frameImpossible = "journal_frame_impossible"
        /// There are more bytes after the last frame than one torn write can leave.
        case strayBytes = "journal_stray_bytes"
        /// A frame or segment is out of sequence.
        case sequence = "journal_sequence"
        /// A frame or segment does not continue the chain.
        case chain = "journal_chain"
        /// The record lengths of a frame do not add up.
        case records = "journal_records"
        /// A snapshot covers more than the journal holds: the end of the journal is missing.
        case snapshotAhead = "journal_snapshot_ahead"
        /// A snapshot was made from another journal.
        case snapshotForeign = "journal_snapshot_foreign"
    }

    package var reason: Reason
    /// The file's name within the journal's directory, `archive/…` included.
    package var file: String
    /// The offset in that file where the damage begins.
    package var offset: Int
    /// The found and the expected value, for people.
    package var detail: String

    package var description: String {
        "\(file) is damaged at byte \(offset): \(detail) (\(reason.rawValue))"
    }
}

/// A snapshot that cannot be used because a checksum is wrong from `offset` on.
package struct SnapshotDamage: Error, Sendable, Equatable, CustomStringConvertible {
    package var file: String
    package var offset: Int

    package var description: String { "\(file) is damaged at byte \(offset)" }
}

import Console
import Journal

extension RecoveryReport {
    /// The log line about the opened journal.
    func sentence(_ directory: String) -> String {
        var parts = [
            "journal \(directory): \(counted(segments, "segment")), "
                + "\(counted(records, "record")) replayed"
        ]
        if let snapshot { parts.append("from the snapshot at sequence \(snapshot)") }
        for refused in snapshotsRefused { parts.append("skipped snapshot \(refused)") }
        if let torn {
            var text =
                "removed a torn tail of \(torn.bytes) bytes in \(torn.file) at byte "
                + "\(torn.offset), which was never acknowledged"
            if let copy = torn.copy { text += ", copy kept as \(copy)" }
            parts.append(text)
        }
        return parts.joined(separator: "; ")
    }
}

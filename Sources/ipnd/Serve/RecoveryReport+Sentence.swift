import Journal

extension RecoveryReport {
    /// What opening the journal found, for the log.
    func sentence(_ directory: String) -> String {
        var parts = ["journal \(directory): \(segments) segments, \(records) records replayed"]
        if let snapshot { parts.append("from the snapshot at sequence \(snapshot)") }
        for refused in snapshotsRefused { parts.append("passed over snapshot \(refused)") }
        if let torn {
            var text =
                "cut a torn tail of \(torn.bytes) bytes in \(torn.file) at byte \(torn.offset), "
                + "which was never acknowledged"
            if let copy = torn.copy { text += ", and kept a copy as \(copy)" }
            parts.append(text)
        }
        return parts.joined(separator: "; ")
    }
}

import Platform

/// What a journal takes of its disk: names and sizes only, so that metrics may ask often.
package struct JournalSpace: Sendable, Equatable {
    /// Segments in place, without the archive.
    package var segments: Int
    /// Their sizes, with what is preallocated, and the snapshots'.
    package var bytes: Int
    /// What is left on the file system.
    package var bytesAvailable: Int

    /// Nil when the directory cannot be read.
    package static func read(directory: String) -> JournalSpace? {
        guard let names = try? Directory.list(directory),
            let available = try? Directory.bytesAvailable(directory)
        else { return nil }
        let segments = names.count { Format.number(in: $0, suffix: Format.segmentSuffix) != nil }
        let bytes = names.reduce(0) { $0 + (FileSize.of("\(directory)/\($1)") ?? 0) }
        return JournalSpace(segments: segments, bytes: bytes, bytesAvailable: available)
    }
}

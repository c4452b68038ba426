import SystemPackage

/// Takes old segments out of the journal's directory. Only the process that holds the journal's
/// lock may call this, from any one thread: a writer never touches a sealed segment again.
package enum Retention {
    /// What happens to a segment that is old enough.
    package enum Disposal: Sendable, Equatable {
        /// Moved to `archive/`, where readers and `JournalVerifier` still find it.
        case archive
        /// Removed.
        case delete
    }

    /// Takes away the sealed segments, oldest first, that were sealed more than `days` ago, and
    /// returns their names. A segment is sealed when the next one begins. One stays, however old,
    /// unless every good snapshot covers it and the first record of the next one: so each kept
    /// snapshot can be started from and held against the chain.
    ///
    /// Throws `unusable`; what was taken away before stays so, durably.
    package static func apply(
        directory: String, storage: any Storage = PosixStorage(), days: Int, disposal: Disposal
    ) throws(JournalError) -> [String] {
        let list = try SegmentList.read(directory, storage: storage)
        guard let covered = try leastCovered(list, directory, storage) else { return [] }
        let limit = storage.wallMicroseconds() - Int64(days) * 86_400_000_000
        var taken: [String] = []
        for (entry, next) in zip(list.segments, list.segments.dropFirst()) {
            guard next.header.firstSequence <= covered, next.header.created <= limit else { break }
            try take(entry, directory, storage, disposal)
            taken.append(entry.name)
        }
        return taken
    }

    /// The least last sequence of the good snapshots; nil when there is none.
    private static func leastCovered(
        _ list: SegmentList, _ directory: String, _ storage: any Storage
    ) throws(JournalError) -> UInt64? {
        var least: UInt64?
        for sequence in list.snapshots {
            let result = try Snapshot.check(sequence, directory: directory, storage: storage)
            if case .success = result { least = sequence }
        }
        return least
    }

    /// One at a time, each durable before the next: a power cut can never bring back an older one
    /// without a newer one.
    private static func take(
        _ entry: SegmentEntry, _ directory: String, _ storage: any Storage, _ disposal: Disposal
    ) throws(JournalError) {
        try JournalError.naming("retire", entry.path) { () throws(Errno) in
            if disposal == .archive { try keep(entry, directory, storage) }
            try storage.unlink(entry.path)
            try storage.fsyncDirectory(directory)
        }
    }

    /// The second name is durable before the first goes, so that no power cut leaves the segment
    /// without any.
    private static func keep(
        _ entry: SegmentEntry, _ directory: String, _ storage: any Storage
    ) throws(Errno) {
        let archive = directory + "/" + Format.archiveName
        do { try storage.makeDirectory(archive) } catch {
            if error != .fileExists { throw error }
        }
        try storage.fsyncDirectory(directory)
        do { try storage.link(entry.path, to: archive + "/" + entry.name) } catch {
            // An earlier attempt got this far.
            if error != .fileExists { throw error }
        }
        try storage.fsyncDirectory(archive)
    }
}

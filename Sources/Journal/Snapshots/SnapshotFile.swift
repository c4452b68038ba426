import SystemPackage

/// The snapshots in a journal's directory.
package enum SnapshotFile {
    /// Writes a snapshot of few sections in one go, durable when this returns, and keeps the two
    /// newest. `sections` may be of any length; a reader gets each in pieces of at most
    /// `SnapshotWriter.chunkBytesMax`. Throws `unusable`.
    package static func write(
        directory: String, storage: any Storage = PosixStorage(), point: SnapshotPoint,
        sections: [(section: UInt32, bytes: [UInt8])]
    ) throws(JournalError) {
        let writer = try SnapshotWriter(directory: directory, storage: storage, point: point)
        for (section, bytes) in sections {
            var start = 0
            while start < bytes.count {
                let end = min(start + SnapshotWriter.chunkBytesMax, bytes.count)
                try writer.append(section: section, [UInt8](bytes[start..<end]))
                start = end
            }
        }
        try writer.finish()
    }

    /// The last sequences of the snapshots, newest first; nothing is said about whether they are
    /// good. Throws `unusable`.
    package static func list(
        directory: String, storage: any Storage = PosixStorage()
    ) throws(JournalError) -> [UInt64] {
        let names = try JournalError.naming("list", directory) { () throws(Errno) in
            try storage.list(directory)
        }
        return names.compactMap { Format.number(in: $0, suffix: Format.snapshotSuffix) }
            .sorted(by: >)
    }

    /// Reads and checks one snapshot. Throws `unusable`.
    package static func read(
        directory: String, storage: any Storage = PosixStorage(), sequence: UInt64
    ) throws(JournalError) -> Result<Snapshot, SnapshotDamage> {
        try Snapshot.check(sequence, directory: directory, storage: storage)
    }

    /// The newest snapshot whose every byte is good, or nil. Throws `unusable`.
    package static func newestGood(
        directory: String, storage: any Storage = PosixStorage()
    ) throws(JournalError) -> Snapshot? {
        for sequence in try list(directory: directory, storage: storage) {
            let result = try read(directory: directory, storage: storage, sequence: sequence)
            if case .success(let snapshot) = result { return snapshot }
        }
        return nil
    }

    /// Copies a snapshot that is whole, durably, and removes all others from `destination`. Throws
    /// `unusable`.
    static func copy(
        _ snapshot: Snapshot, from directory: String, to destination: String,
        storage: any Storage
    ) throws(JournalError) {
        let path = destination + "/" + snapshot.name
        let temporary = path + Format.temporarySuffix
        try JournalError.naming("copy", path) { () throws(Errno) in
            let file = try storage.open(temporary, for: .creating)
            try snapshot.copy(to: file)
            try file.fsync()
            try storage.rename(temporary, to: path)
            try storage.fsyncDirectory(destination)
        }
        try prune(destination, storage: storage, keeping: 1)
    }

    /// Removes all but the `keeping` newest. One that comes back after a power cut does no harm.
    static func prune(
        _ directory: String, storage: any Storage, keeping: Int
    ) throws(JournalError) {
        for sequence in try list(directory: directory, storage: storage).dropFirst(keeping) {
            let path = directory + "/" + Format.snapshotName(lastSequence: sequence)
            try JournalError.naming("unlink", path) { () throws(Errno) in
                try storage.unlink(path)
            }
        }
    }
}

/// The place in a journal that a snapshot covers everything up to.
package struct SnapshotPoint: Sendable, Equatable {
    /// The last sequence that is covered.
    package var sequence: UInt64
    /// The hash of the frame that holds it: a snapshot of another journal does not have it.
    package var chain: ChainValue
}

/// What the one who has opened a journal may do in its directory beside the writer, on another
/// thread: snapshots, and retention after them. It keeps the directory open.
package struct JournalMaintenance: Sendable {
    let directory: String
    let storage: any Storage
    let store: StoreIdentity
    let clock: RetentionClock

    /// How far time has passed, in µs since 1970, as retention and forgetting may believe it.
    package var microsecondsSeen: Int64 { clock.now(storage) }

    /// Begins a snapshot; see `SnapshotWriter`. Throws `unusable`.
    package func snapshot(
        of point: SnapshotPoint, pace: WritingPace? = nil
    ) throws(JournalError) -> SnapshotWriter {
        try SnapshotWriter(
            directory: directory, storage: storage, point: point, store: store, pace: pace)
    }

    /// Takes old segments away; see `Retention.apply`. Throws `unusable`.
    package func retain(
        days: Int, _ disposal: Retention.Disposal, hold: Retention.Hold? = nil
    ) throws(JournalError) -> Retention.Report {
        try Retention.apply(
            directory: directory, storage: storage, clock: clock, days: days, disposal: disposal,
            hold: hold)
    }

    /// Notes how far time has passed, where nothing is taken away. Throws `unusable`.
    package func noteTime() throws(JournalError) {
        try Retention.note(directory: directory, storage: storage, clock: clock)
    }
}

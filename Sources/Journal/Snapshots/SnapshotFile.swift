import SystemPackage

/// The snapshots in a journal's directory.
package enum SnapshotFile {
    /// The last sequences of the snapshots, newest first, without checking the files. Throws
    /// `unusable`.
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

    /// The newest snapshot without damage, or nil. Throws `unusable`.
    package static func newestGood(
        directory: String, storage: any Storage = PosixStorage()
    ) throws(JournalError) -> Snapshot? {
        for sequence in try list(directory: directory, storage: storage) {
            let result = try read(directory: directory, storage: storage, sequence: sequence)
            if case .success(let snapshot) = result { return snapshot }
        }
        return nil
    }

    /// Copies a checked snapshot durably, and removes all others from `destination`. Throws
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

    /// Removes all but the `keeping` newest. A file that comes back after a power cut is harmless.
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

/// The end of the part of a journal that a snapshot covers.
package struct SnapshotPoint: Sendable, Equatable {
    /// The last sequence that is covered.
    package var sequence: UInt64
    /// The hash of the frame that holds it, which identifies the journal.
    package var chain: ChainValue
}

/// Operations in the directory of an open journal that are allowed beside the writer, on another
/// thread: snapshots, and retention after them. It keeps the directory open.
package struct JournalMaintenance: Sendable {
    let directory: String
    let storage: any Storage
    let store: StoreIdentity
    let clock: RetentionClock

    /// The time of the retention clock, in µs since 1970, by which segments and identities are
    /// aged.
    package var microsecondsSeen: Int64 { clock.now(storage) }

    /// Begins a snapshot; see `SnapshotWriter`. Throws `unusable`.
    package func snapshot(
        of point: SnapshotPoint, pace: WritingPace? = nil
    ) throws(JournalError) -> SnapshotWriter {
        try SnapshotWriter(
            directory: directory, storage: storage, point: point, store: store, pace: pace)
    }

    /// Removes old segments; see `Retention.apply`. Throws `unusable`.
    package func retain(
        days: Int, _ disposal: Retention.Disposal, hold: Retention.Hold? = nil
    ) throws(JournalError) -> Retention.Report {
        try Retention.apply(
            directory: directory, storage: storage, clock: clock, days: days, disposal: disposal,
            hold: hold)
    }

    /// Notes the time of the retention clock without removing anything. Throws `unusable`.
    package func noteTime() throws(JournalError) {
        try Retention.note(directory: directory, storage: storage, clock: clock)
    }
}

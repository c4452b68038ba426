/// What the one who has opened a journal may do in its directory beside the writer, on another
/// thread: snapshots, and retention after them. It keeps the directory open.
package struct JournalMaintenance: Sendable {
    let directory: String
    let storage: any Storage
    let store: StoreIdentity
    let clock: RetentionClock

    /// Begins a snapshot; see `SnapshotWriter`. Throws `unusable`.
    package func snapshot(of point: SnapshotPoint) throws(JournalError) -> SnapshotWriter {
        try SnapshotWriter(directory: directory, storage: storage, point: point, store: store)
    }

    /// Takes old segments away; see `Retention.apply`. Throws `unusable`.
    package func retain(
        days: Int, _ disposal: Retention.Disposal
    ) throws(JournalError) -> Retention.Report {
        try Retention.apply(
            directory: directory, storage: storage, clock: clock, days: days, disposal: disposal)
    }

    /// Notes how far time has passed, where nothing is taken away. Throws `unusable`.
    package func noteTime() throws(JournalError) {
        try Retention.note(directory: directory, storage: storage, clock: clock)
    }
}

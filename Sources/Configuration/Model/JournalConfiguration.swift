import Store

/// Where the journal is and what becomes of its past.
package struct JournalConfiguration: Sendable, Equatable {
    /// What happens to a segment that is older than `retainDays`.
    package enum Archive: String, Sendable, CaseIterable {
        /// Into `archive/` in the journal's directory.
        case move
        case delete
    }

    private static let defaults = JournalStoreOptions()

    /// The absolute path of the directory.
    package var directory: String
    /// Size of a segment in MiB.
    package var segmentMiB = defaults.journal.segmentBytes >> 20
    /// Days that a sealed segment stays in place; 0 keeps all for ever.
    package var retainDays = 0
    package var archive = Archive.move
    /// Days that the identity of an event is remembered after it came. The longest retry window of
    /// a provider is 30 days (Open Payment Platform), so less would count an event twice.
    package var dedupRetainDays = defaults.dedupRetainDays
    /// A snapshot is written after so many records (or a quarter of the remembered events, if that
    /// is more), and when the server stops; 0 writes none.
    package var snapshotRecords = defaults.snapshotRecords
    /// It is also written so many hours after the first record that no snapshot covers.
    package var snapshotHours = defaults.snapshotSeconds / 3600
    package var snapshotSeconds: Int { snapshotHours * 3600 }

    package init(directory: String) { self.directory = directory }
}

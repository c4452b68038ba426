/// The storage of notifications.
package enum StorageConfiguration: Sendable, Equatable {
    /// On this machine's disk.
    case journal(JournalConfiguration)
    /// In a PostgreSQL database that any number of instances share.
    case database(DatabaseConfiguration)

    var journal: JournalConfiguration? {
        if case .journal(let journal) = self { return journal }
        return nil
    }
}

import Journal
import JournalStore
import Platform
import PostgreSQL
import ServerConfiguration

/// The system interfaces of the service: the file system of the journal, and the connections to a
/// database. Programs with planted defects replace them (`Tests/DefectiveProgram`).
package struct ServiceEnvironment: Sendable {
    /// The file system of the journal.
    package var storage: any Storage = PosixStorage()
    package var store = StoreEnvironment()
    /// Opens all connections of a store and its readers.
    package var links: @Sendable (DatabaseConfiguration) -> LinkSource = { database in
        LinkSource(database.connection, database.session, clock: SystemClock())
    }

    /// The environment of the commands of this task.
    @TaskLocal package static var current = ServiceEnvironment()

    package init() { store.giveMemoryBack = Memory.giveBack }
}

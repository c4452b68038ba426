import PostgreSQL

/// The database that stores the records, and the limits on waiting for it.
package struct DatabaseConfiguration: Sendable, Equatable {
    /// The connection string. It may hold a password, so no description shows all of it.
    package var connection: ConnectionString
    package var source: SecretSource
    /// Schema, session timeouts, and what a commit waits for.
    package var session: SessionSettings
    /// Seconds from a batch's first statement until its commit must be answered. Then the socket is
    /// closed, because a commit that waits for a lost standby would otherwise wait forever.
    package var batchSecondsMax = 5
    /// Seconds that a notification waits for the database in total, including attempts on a new
    /// connection. Then the sender is answered 503.
    package var requestSecondsMax = 10
    /// Maximum number of notifications in one transaction.
    package var batchSubmissionsMax = 256
    /// Maximum number of read connections.
    package var readConnectionsMax = 4
    /// Minimum milliseconds between two commits that only confirm what readers have seen.
    package var confirmMillisecondsMin = 5
    /// Seconds until another instance takes over the work of one that no longer answers.
    package var leaseSeconds = 5
    /// Days after which a partition of events is dropped; 0 keeps all.
    package var retainDays = 0
    /// Extra days to keep a partition that still has undelivered events.
    package var retainUndeliveredDays = 30
    /// Days that an event is remembered as seen.
    package var dedupRetainDays = 400

    package init(connection: ConnectionString, source: SecretSource, session: SessionSettings) {
        self.connection = connection
        self.source = source
        self.session = session
    }
}

/// The name, range and key path of one number of a ``DatabaseConfiguration``.
struct DatabaseNumberName {
    let name: String
    let path: any WritableKeyPath<DatabaseConfiguration, Int> & Sendable
    let range: ClosedRange<Int>

    static let all: [DatabaseNumberName] = [
        DatabaseNumberName(
            name: "connectSecondsMax", path: \.session.connectSecondsMax, range: 1...300),
        DatabaseNumberName(name: "batchSecondsMax", path: \.batchSecondsMax, range: 1...300),
        DatabaseNumberName(name: "requestSecondsMax", path: \.requestSecondsMax, range: 1...300),
        DatabaseNumberName(
            name: "statementSecondsMax", path: \.session.statementSecondsMax, range: 1...3600),
        DatabaseNumberName(name: "lockSecondsMax", path: \.session.lockSecondsMax, range: 1...3600),
        DatabaseNumberName(
            name: "idleInTransactionSecondsMax", path: \.session.idleInTransactionSecondsMax,
            range: 1...3600),
        DatabaseNumberName(
            name: "tcpUserSecondsMax", path: \.session.tcpUserSecondsMax, range: 1...3600),
        DatabaseNumberName(
            name: "keepaliveIdleSeconds", path: \.session.keepaliveIdleSeconds, range: 1...7200),
        DatabaseNumberName(
            name: "keepaliveIntervalSeconds", path: \.session.keepaliveIntervalSeconds,
            range: 1...3600),
        DatabaseNumberName(
            name: "keepaliveCountMax", path: \.session.keepaliveCountMax, range: 1...100),
        DatabaseNumberName(
            name: "batchSubmissionsMax", path: \.batchSubmissionsMax, range: 1...1000),
        DatabaseNumberName(
            name: "readConnectionsMax", path: \.readConnectionsMax, range: 1...64),
        DatabaseNumberName(
            name: "confirmMillisecondsMin", path: \.confirmMillisecondsMin, range: 1...1000),
        DatabaseNumberName(name: "leaseSeconds", path: \.leaseSeconds, range: 2...300),
        DatabaseNumberName(name: "retainDays", path: \.retainDays, range: 0...36_500),
        DatabaseNumberName(
            name: "retainUndeliveredDays", path: \.retainUndeliveredDays, range: 0...36_500),
        DatabaseNumberName(name: "dedupRetainDays", path: \.dedupRetainDays, range: 30...36_500),
    ]
}

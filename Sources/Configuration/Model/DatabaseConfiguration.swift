import PostgreSQL

/// Which database keeps the record, and how long is waited for it.
package struct DatabaseConfiguration: Sendable, Equatable {
    /// It may hold a password: no description shows it whole.
    package var connection: ConnectionString
    package var source: SecretSource
    /// Schema, timeouts of a session, what a commit waits for.
    package var session: SessionSettings
    /// Seconds from a batch's first statement until its commit must have been answered. After it
    /// the socket is closed: a commit that waits for a lost standby would else wait for ever.
    package var batchSecondsMax = 5
    /// Seconds that a notification waits for the database altogether, tries on a new connection
    /// included. After it the sender gets 503.
    package var requestSecondsMax = 10

    package init(connection: ConnectionString, source: SecretSource, session: SessionSettings) {
        self.connection = connection
        self.source = source
        self.session = session
    }
}

/// One of its times as the configuration sees it.
struct DatabaseTimeName {
    let name: String
    let path: any WritableKeyPath<DatabaseConfiguration, Int> & Sendable
    let range: ClosedRange<Int>

    static let all: [DatabaseTimeName] = [
        DatabaseTimeName(
            name: "connectSecondsMax", path: \.session.connectSecondsMax, range: 1...300),
        DatabaseTimeName(name: "batchSecondsMax", path: \.batchSecondsMax, range: 1...300),
        DatabaseTimeName(name: "requestSecondsMax", path: \.requestSecondsMax, range: 1...300),
        DatabaseTimeName(
            name: "statementSecondsMax", path: \.session.statementSecondsMax, range: 1...3600),
        DatabaseTimeName(name: "lockSecondsMax", path: \.session.lockSecondsMax, range: 1...3600),
        DatabaseTimeName(
            name: "idleInTransactionSecondsMax", path: \.session.idleInTransactionSecondsMax,
            range: 1...3600),
        DatabaseTimeName(
            name: "tcpUserSecondsMax", path: \.session.tcpUserSecondsMax, range: 1...3600),
        DatabaseTimeName(
            name: "keepaliveIdleSeconds", path: \.session.keepaliveIdleSeconds, range: 1...7200),
        DatabaseTimeName(
            name: "keepaliveIntervalSeconds", path: \.session.keepaliveIntervalSeconds,
            range: 1...3600),
        DatabaseTimeName(
            name: "keepaliveCountMax", path: \.session.keepaliveCountMax, range: 1...100),
    ]
}

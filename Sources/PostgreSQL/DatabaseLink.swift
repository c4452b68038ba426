package import Platform

/// A session with a database: a `PostgresConnection`, or a simulated one in tests. One thread at a
/// time uses it.
package protocol DatabaseLink: AnyObject {
    /// The connected host, for messages.
    var host: String { get }
    /// Whether the server has not hung up, as far as is visible without a round trip.
    var isAlive: Bool { get }
    /// The first warning since `clearWarning()`. The outcome of a commit with a warning is unknown.
    var warning: Notice? { get }
    func clearWarning()

    /// Sends the commands, after those that were sent but not received yet. Without `BEGIN`, they
    /// are one transaction.
    func send(_ commands: [Command]) throws(PostgresError)
    /// Returns one result for each command of the oldest `send` that was not received yet.
    func receive(until deadline: MonotonicTime) throws(PostgresError) -> [PostgresResult]

    /// Waits for a notification from any session (`LISTEN`). Returns false at the deadline.
    func awaitNotification(until deadline: MonotonicTime) throws(PostgresError) -> Bool

    /// Ends the session properly.
    func close()
    /// Closes the connection without ending the session: the server completes what it was doing.
    func abandon()
}

extension DatabaseLink {
    /// Sends the commands and receives their results in one round trip.
    package func run(
        _ commands: [Command], until deadline: MonotonicTime
    ) throws(PostgresError) -> [PostgresResult] {
        try send(commands)
        return try receive(until: deadline)
    }

    package func run(
        _ command: Command, until deadline: MonotonicTime
    ) throws(PostgresError) -> PostgresResult {
        try run([command], until: deadline)[0]
    }
}

extension PostgresConnection: DatabaseLink {}

/// Opens sessions: to the hosts of a connection string, or to a simulation in tests.
package struct LinkSource: Sendable {
    /// The settings of the sessions.
    package let settings: SessionSettings
    private let connect: @Sendable () throws(PostgresError) -> any DatabaseLink

    package init(
        _ settings: SessionSettings,
        connect: @escaping @Sendable () throws(PostgresError) -> any DatabaseLink
    ) {
        self.settings = settings
        self.connect = connect
    }

    package init(
        _ string: ConnectionString, _ settings: SessionSettings, clock: any Clock
    ) {
        self.init(settings) { () throws(PostgresError) in
            try PostgresConnection.connect(string, settings, clock: clock)
        }
    }

    /// Opens a session. Blocks like `PostgresConnection.connect` and throws the same errors.
    package func open() throws(PostgresError) -> any DatabaseLink { try connect() }
}

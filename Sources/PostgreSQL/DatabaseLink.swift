import Platform

/// A session with a database, as stores and readers use it: a `PostgresConnection`, or in tests a
/// simulated one. One thread at a time uses it.
package protocol DatabaseLink: AnyObject {
    /// The host that was reached, for people.
    var host: String { get }
    /// Whether the server has not hung up meanwhile, as far as can be seen without asking it.
    var isAlive: Bool { get }
    /// The first warning since `clearWarning()`. A commit with a warning is of unknown outcome.
    var warning: Notice? { get }
    func clearWarning()

    /// Sends the commands, behind what was sent and not received yet. Without `BEGIN` among them
    /// they are one transaction of their own.
    func send(_ commands: [Command]) throws(PostgresError)
    /// A result for each command of the oldest `send` that was not received yet.
    func receive(until deadline: MonotonicTime) throws(PostgresError) -> [PostgresResult]

    /// Waits for a notification that some session sent (`LISTEN`). False at the deadline.
    func awaitNotification(until deadline: MonotonicTime) throws(PostgresError) -> Bool

    /// Ends the session in order.
    func close()
    /// Ends the connection without a word: whatever the server was doing, it continues with it.
    func abandon()
}

extension DatabaseLink {
    /// Sends the commands and receives their results: one round trip.
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

/// Where sessions come from: from the hosts of a connection string, or in tests from a simulation.
package struct LinkSource: Sendable {
    /// How they are opened.
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

    /// Opens a session. Blocks, as `PostgresConnection.connect` does, and throws the same.
    package func open() throws(PostgresError) -> any DatabaseLink { try connect() }
}

import Platform
import PostgreSQL

/// Reads and writes in portions for the commands, each with its own deadline, so that nothing is
/// held for long on the server and memory is bounded.
package struct PortionReader {
    let connection: PostgresConnection
    let schema: String

    /// Time limit of one portion.
    private static let secondsMax = 60
    /// Maximum number of records in one portion, and of their bytes.
    static let recordsMax = 1000
    static let bytesMax = 4 << 20

    /// Throws if the tables are missing or have another version.
    package init(_ connection: PostgresConnection, schema: String) throws(DatabaseFailure) {
        self.init(connection, unchecked: schema)
        try SchemaVersion.require(connection, schema: schema, until: deadline)
    }

    /// Does not check the version, which differs during an import.
    init(_ connection: PostgresConnection, unchecked schema: String) {
        self.connection = connection
        self.schema = schema
    }

    var deadline: MonotonicTime { connection.clock.now.advanced(seconds: Self.secondsMax) }

    /// Converts the errors of `body` to `DatabaseFailure`.
    func attempt<Answer>(
        _ body: () throws(PostgresError) -> Answer
    ) throws(DatabaseFailure) -> Answer {
        do throws(PostgresError) { return try body() } catch {
            throw DatabaseFailure(error, schema: schema)
        }
    }

    func run(_ commands: [Command]) throws(DatabaseFailure) -> [PostgresResult] {
        try attempt { () throws(PostgresError) in try connection.run(commands, until: deadline) }
    }

    func run(_ command: Command) throws(DatabaseFailure) -> PostgresResult {
        try run([command])[0]
    }

    func run(_ sql: String) throws(DatabaseFailure) -> PostgresResult { try run(Command(sql)) }

    /// Waits for a synchronous commit after everything that was read: on a primary that was cut
    /// off, rows are visible that a failover loses.
    func confirm() throws(DatabaseFailure) {
        connection.clearWarning()
        let results = try run([
            Command("BEGIN"), Command("SELECT pg_logical_emit_message(true, 'ipnd', '')"),
            Command("COMMIT"),
        ])
        try requireCommit(results)
    }

    /// Throws unless the last of the results is a COMMIT without a warning.
    func requireCommit(_ results: [PostgresResult]) throws(DatabaseFailure) {
        guard connection.warning == nil, results.last?.tag == "COMMIT" else {
            throw DatabaseFailure(
                "a commit is on this server only: \(connection.warning?.message ?? "no COMMIT")",
                "check its standbys, then run this again", isMistake: false,
                reason: "database_commit_unknown")
        }
    }
}

/// An event's row.
struct EventRow {
    var sequence: UInt64
    var record: [UInt8]
    var endpoint: String
    var outcome: String
    /// Microseconds since 1970.
    var received: Int64
}

extension PortionReader {
    /// The events after `sequence` up to `last` that fit into a portion; at least one if there is
    /// one.
    func events(after sequence: UInt64, through last: UInt64) throws(DatabaseFailure) -> [EventRow]
    {
        let command = Command(Self.portion).with(Int64(sequence)).with(Int64(last))
            .with(Int64(Self.recordsMax)).with(Int64(Self.bytesMax))
        return try attempt { () throws(PostgresError) in
            let rows = try connection.run(command, until: deadline)
            var events: [EventRow] = []
            for row in 0..<rows.rowCount {
                events.append(
                    EventRow(
                        sequence: UInt64(clamping: try rows.integer(row, 0)),
                        record: try rows.bytes(row, 1), endpoint: try rows.text(row, 2),
                        outcome: try rows.text(row, 3),
                        received: try rows.microseconds(row, 4)))
            }
            return events
        }
    }

    private static let portion = Statement(
        name: "portion",
        sql: """
            SELECT sequence, record, name, outcome, received
            FROM (
                SELECT taken.*, sum(length(record)) OVER (ORDER BY sequence) AS bytes
                FROM (
                    SELECT sequence, record, endpoint, outcome, received FROM event
                    WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $3
                ) AS taken
            ) AS portion JOIN endpoint ON endpoint.number = portion.endpoint
            WHERE bytes - length(record) < $4 ORDER BY sequence
            """)
}

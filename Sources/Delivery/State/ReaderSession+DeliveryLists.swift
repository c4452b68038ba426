import Payments
import PostgreSQL
import PostgreSQLStore

/// Lists of a state in a database, and what instances ask of each other there.
extension ReaderSession {
    /// One page, the oldest first.
    func deliveries(_ query: DeliveryQuery) throws(PostgresError) -> DeliveryList {
        var conditions = QueryConditions(query)
        if let cursor = query.cursor { conditions.add("id >", cursor) }
        let rows = try run([
            conditions.command { filter, next in
                """
                SELECT found.id, found.destination, found.sequence, found.endpoint,
                    found.reference, kind, found.status, received, attempts, due, is_dead,
                    last.sequence, last.reference, last.began, last.number, last.status,
                    last.reason, last.latency, last.detail, last.excerpt
                FROM (SELECT * FROM delivery \(filter) ORDER BY id LIMIT \(next)) AS found
                LEFT JOIN LATERAL (
                    SELECT * FROM delivery_attempt
                    WHERE destination = found.destination AND sequence = found.sequence
                    ORDER BY id DESC LIMIT 1
                ) AS last ON true ORDER BY found.id
                """
            }.with(Int64(query.limit + 1))
        ])[0]
        var list = DeliveryList(deliveries: [], cursor: nil)
        for row in 0..<min(rows.rowCount, query.limit) {
            list.deliveries.append(try PendingDelivery(rows, row))
        }
        if rows.rowCount > query.limit { list.cursor = list.deliveries.last?.id }
        return list
    }

    func count(_ query: DeliveryQuery) throws(PostgresError) -> Int {
        let conditions = QueryConditions(query)
        let command = conditions.command { filter, _ in "SELECT count(*) FROM delivery \(filter)" }
        return Int(try run([command])[0].integer(0, 0))
    }

    func record(_ sequence: UInt64, for destination: String) throws(PostgresError) -> [UInt8]? {
        let command = Command(Self.record).with(destination).with(Int64(clamping: sequence))
        let rows = try run([command])[0]
        return rows.rowCount == 1 ? try rows.bytes(0, 0) : nil
    }

    func attempts(reference: String, limit: Int) throws(PostgresError) -> [LoggedAttempt] {
        let command = Command(Self.attempts).with(reference.storable).with(Int64(limit))
        let rows = try run([command])[0]
        var attempts: [LoggedAttempt] = []
        for row in 0..<rows.rowCount {
            attempts.append(
                try LoggedAttempt(rows, row, from: 1, destination: try rows.text(row, 0)))
        }
        return attempts
    }

    func destinations() throws(PostgresError) -> [StoredDestination] {
        let rows = try run([Command(Self.standings)])[0]
        var standings: [StoredDestination] = []
        for row in 0..<rows.rowCount {
            var standing = StoredDestination(
                name: try rows.text(row, 0), cursor: UInt64(clamping: try rows.integer(row, 1)),
                waiting: Int(try rows.integer(row, 4)), dead: Int(try rows.integer(row, 5)))
            if !rows.isNull(row, 2) {
                standing.pause = PauseReason(rawValue: try rows.text(row, 2))
            }
            if !rows.isNull(row, 3) { standing.servedBy = try rows.text(row, 3) }
            if !rows.isNull(row, 6) { standing.oldestReceived = try rows.microseconds(row, 6) }
            standings.append(standing)
        }
        return standings
    }

    // MARK: Commands

    /// Leaves a command; returns its id.
    func leave(_ command: DeliveryCommand, for destination: String) throws(PostgresError) -> Int64 {
        var sequences = Column(.int8)
        for sequence in command.sequences { sequences.append(Int64(clamping: sequence)) }
        let leave = Command(Self.leave).with(destination).with(command.word).with(sequences)
        return try commit([leave])[0].integer(0, 0)
    }

    func destinationsWithCommands() throws(PostgresError) -> [String] {
        let rows = try run([Command(Self.waiting)])[0]
        var names: [String] = []
        for row in 0..<rows.rowCount { names.append(try rows.text(row, 0)) }
        return names
    }

    func commands(for destination: String) throws(PostgresError) -> [QueuedCommand] {
        let rows = try run([Command(Self.commands).with(destination)])[0]
        var commands: [QueuedCommand] = []
        for row in 0..<rows.rowCount {
            let command = DeliveryCommand(
                word: try rows.text(row, 1),
                sequences: try rows.integers(row, 2).map { UInt64(clamping: $0) })
            guard let command else { continue }
            commands.append(QueuedCommand(id: try rows.integer(row, 0), command: command))
        }
        return commands
    }

    /// How many events the command has changed; nil while nobody has carried it out. The answer is
    /// given once.
    func takeAnswer(of command: Int64) throws(PostgresError) -> Int? {
        let rows = try run([Command(Self.answer).with(command)])[0]
        guard rows.rowCount == 1, !rows.isNull(0, 0) else { return nil }
        _ = try commit([Command(Self.remove).with(command)])
        return Int(try rows.integer(0, 0))
    }

    /// Takes a command back; false when it was carried out.
    func withdraw(_ command: Int64) throws(PostgresError) -> Bool {
        try commit([Command(Self.withdraw).with(command)])[0].affectedCount == 1
    }

    private static let record = Statement(
        name: "delivery_record",
        sql: "SELECT record FROM delivery WHERE destination = $1 AND sequence = $2")
    private static let attempts = Statement(
        name: "attempt_list",
        sql: """
            SELECT destination, sequence, reference, began, number, status, reason, latency,
                detail, excerpt
            FROM delivery_attempt WHERE reference = $1 ORDER BY id DESC LIMIT $2
            """)
    private static let standings = Statement(
        name: "destination_list",
        sql: """
            SELECT name, cursor, pause, served_by, count(sequence),
                count(sequence) FILTER (WHERE is_dead), min(received) FILTER (WHERE NOT is_dead)
            FROM destinations LEFT JOIN delivery ON delivery.destination = name
            GROUP BY name, cursor, pause, served_by ORDER BY name
            """)
    private static let leave = Statement(
        name: "command_leave",
        sql: """
            INSERT INTO delivery_command (destination, command, sequences) VALUES ($1, $2, $3)
            RETURNING id
            """)
    private static let waiting = Statement(
        name: "command_waiting",
        sql: "SELECT DISTINCT destination FROM delivery_command WHERE changed IS NULL")
    private static let commands = Statement(
        name: "command_list",
        sql: """
            SELECT id, command, sequences FROM delivery_command
            WHERE destination = $1 AND changed IS NULL ORDER BY id LIMIT 100
            """)
    private static let answer = Statement(
        name: "command_look", sql: "SELECT changed FROM delivery_command WHERE id = $1")
    private static let remove = Statement(
        name: "command_remove", sql: "DELETE FROM delivery_command WHERE id = $1")
    private static let withdraw = Statement(
        name: "command_withdraw",
        sql: "DELETE FROM delivery_command WHERE id = $1 AND changed IS NULL")
}

/// The conditions of a query, with their values.
private struct QueryConditions {
    private enum Value {
        case text(String)
        case integer(Int64)
        case truth(Bool)
    }

    private var filter: [String] = []
    private var values: [Value] = []

    init(_ query: DeliveryQuery) {
        if let destination = query.destination { add("destination =", .text(destination)) }
        if let state = query.state { add("is_dead =", .truth(state == .dead)) }
        if let reference = query.reference { add("reference =", .text(reference.storable)) }
        if let sequence = query.sequence { add("sequence =", Int64(clamping: sequence)) }
    }

    mutating func add(_ condition: String, _ value: Int64) { add(condition, .integer(value)) }

    private mutating func add(_ condition: String, _ value: Value) {
        values.append(value)
        filter.append("\(condition) $\(values.count)")
    }

    /// The statement that `sql` makes of the filter and the name of the next parameter.
    func command(_ sql: (_ filter: String, _ next: String) -> String) -> Command {
        let clause = filter.isEmpty ? "" : "WHERE " + filter.joined(separator: " AND ")
        var command = Command(sql(clause, "$\(values.count + 1)"))
        for value in values {
            switch value {
            case .text(let text): command = command.with(text)
            case .integer(let number): command = command.with(number)
            case .truth(let truth): command = command.with(truth)
            }
        }
        return command
    }
}

extension String {
    /// A server keeps no U+0000 in a text: `Column` puts the same in its place.
    fileprivate var storable: String {
        utf8.contains(0) ? replacing("\u{0}", with: "\u{fffd}") : self
    }
}

extension PendingDelivery {
    fileprivate init(_ rows: PostgresResult, _ row: Int) throws(PostgresError) {
        let isDead = try rows.integer(row, 10) != 0
        let due = try rows.integer(row, 9)
        let destination = try rows.text(row, 1)
        self.init(
            id: try rows.integer(row, 0), destination: destination,
            sequence: UInt64(clamping: try rows.integer(row, 2)),
            endpoint: try rows.text(row, 3), reference: try rows.text(row, 4),
            kind: try rows.text(row, 5), status: try rows.text(row, 6),
            received: Timestamp(microseconds: try rows.microseconds(row, 7)),
            state: isDead ? .dead : .waiting, attempts: Int(try rows.integer(row, 8)),
            due: isDead || due == 0 ? nil : Timestamp(microseconds: due),
            last: rows.isNull(row, 11)
                ? nil : try LoggedAttempt(rows, row, from: 11, destination: destination))
    }
}

extension LoggedAttempt {
    fileprivate init(
        _ rows: PostgresResult, _ row: Int, from first: Int, destination: String
    ) throws(PostgresError) {
        let status = rows.isNull(row, first + 4) ? nil : Int(try rows.integer(row, first + 4))
        self.init(
            destination: destination, sequence: UInt64(clamping: try rows.integer(row, first)),
            reference: try rows.text(row, first + 1),
            began: Timestamp(microseconds: try rows.microseconds(row, first + 2)),
            number: Int(try rows.integer(row, first + 3)),
            outcome: AttemptOutcomeSummary(
                status: status, reason: try rows.text(row, first + 5),
                latencyMicroseconds: Int(try rows.integer(row, first + 6)),
                detail: try rows.text(row, first + 7), excerpt: try rows.text(row, first + 8)))
    }
}

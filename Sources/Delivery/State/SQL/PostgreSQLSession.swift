import Payments
import PostgreSQL
import PostgreSQLStore
import Store

/// Runs the statements in the database that keeps the record.
struct PostgreSQLSession: SQLSession {
    let reader: DatabaseReader

    func read(_ call: SQLCall) async throws(DeliveryStateFailure) -> [SQLRow] {
        try await run { session throws(PostgresError) in
            try call.statement.rows(try session.run([call.command])[0])
        }
    }

    func write(
        _ calls: [SQLCall], under lease: Lease?
    ) async throws(DeliveryStateFailure) -> [[SQLRow]] {
        let rows = try await run { session throws(PostgresError) -> [[SQLRow]]? in
            let commands = calls.map(\.command)
            let results =
                if let lease {
                    try session.commit(under: lease, commands)
                } else {
                    try session.commit(commands)
                }
            guard let results else { return nil }
            var rows: [[SQLRow]] = []
            for (call, result) in zip(calls, results) {
                rows.append(try call.statement.rows(result))
            }
            return rows
        }
        guard let rows else { throw .leaseLost }
        return rows
    }

    /// Runs `body` in a session.
    func run<Answer: Sendable>(
        _ body: @escaping @Sendable (ReaderSession) throws(PostgresError) -> Answer
    ) async throws(DeliveryStateFailure) -> Answer {
        do throws(ReadFailure) { return try await reader.read(body) } catch {
            throw DeliveryStateFailure(error)
        }
    }
}

extension DeliveryStateFailure {
    init(_ failure: ReadFailure) {
        self = .unavailable("\(failure.reason): \(failure.detail)")
    }
}

extension SQLCall {
    /// The items are one array for each column: one statement for all of them.
    fileprivate var command: Command {
        var sql = statement.sql
        if let items {
            let parameters = items.columns.indices.map { "$\(values.count + $0 + 1)" }
            sql.replace(
                "{items}",
                with: "unnest(\(parameters.joined(separator: ", "))) AS item "
                    + "(\(items.columns.map(\.name).joined(separator: ", ")))")
        }
        var command =
            statement.name.isEmpty
            ? Command(sql) : Command(Statement(name: statement.name, sql: sql))
        for value in values { command = command.with(value) }
        for (index, column) in (items?.columns ?? []).enumerated() {
            var array = Column(column.type.postgres)
            for row in items?.rows ?? [] { array.append(row[index]) }
            command = command.with(array)
        }
        return command
    }
}

extension Command {
    /// A null is a text: the only column that is set to null is one.
    fileprivate consuming func with(_ value: SQLValue) -> Command {
        switch value {
        case .null: with(nil as String?)
        case .integer(let value): with(value)
        case .truth(let value): with(value)
        case .text(let text): with(text.storable)
        case .bytes(let bytes): with(bytes)
        case .time: preconditionFailure("a time is a parameter of items only")
        case .integers(let values):
            with(
                values.reduce(into: Column(.int8)) { column, value in column.append(value) })
        }
    }
}

extension Column {
    fileprivate mutating func append(_ value: SQLValue) {
        switch value {
        case .null: appendNull()
        case .integer(let value): append(value)
        case .truth(let value): append(value)
        case .text(let text): append(text)
        case .bytes(let bytes): append(bytes)
        case .time(let time): append(microseconds: time.microseconds)
        case .integers: preconditionFailure("items have no arrays")
        }
    }
}

extension SQLType {
    fileprivate var postgres: PostgresType {
        switch self {
        case .integer: .int8
        case .truth: .bool
        case .text: .text
        case .bytes: .bytes
        case .time: .timestamp
        case .integers: preconditionFailure("items have no arrays")
        case .optional(let type): type.postgres
        }
    }
}

extension SQLStatement {
    fileprivate func rows(_ result: PostgresResult) throws(PostgresError) -> [SQLRow] {
        guard !columns.isEmpty else { return [] }
        var rows: [SQLRow] = []
        for row in 0..<result.rowCount {
            var values: [SQLValue] = []
            for (column, type) in columns.enumerated() {
                values.append(try type.value(result, row, column))
            }
            rows.append(SQLRow(values: values))
        }
        return rows
    }
}

extension SQLType {
    fileprivate func value(
        _ result: PostgresResult, _ row: Int, _ column: Int
    ) throws(PostgresError) -> SQLValue {
        switch self {
        case .integer: .integer(try result.integer(row, column))
        case .truth: .truth(try result.integer(row, column) != 0)
        case .text: .text(try result.text(row, column))
        case .bytes: .bytes(try result.bytes(row, column))
        case .time: .time(Timestamp(microseconds: try result.microseconds(row, column)))
        case .integers: .integers(try result.integers(row, column))
        case .optional(let type):
            result.isNull(row, column) ? .null : try type.value(result, row, column)
        }
    }
}

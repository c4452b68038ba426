import Payments

/// One statement of the delivery state, in the SQL that SQLite and PostgreSQL share.
///
/// The parameters are `$1`, `$2`, and so on. `{items}` in the text is a table `item` with the rows
/// of the call's ``SQLItems``:
///
///     UPDATE delivery SET due = item.due FROM {items}
///     WHERE destination = $1 AND delivery.sequence = item.sequence
struct SQLStatement: Sendable {
    /// Unique name under which PostgreSQL prepares the statement; empty for one that is not
    /// prepared.
    let name: String
    let sql: String
    /// The types of the result's columns.
    let columns: [SQLType]

    init(_ name: String, returns columns: [SQLType] = [], _ sql: String) {
        self.name = name
        self.columns = columns
        self.sql = sql
    }
}

/// The type of a column.
indirect enum SQLType: Sendable {
    case integer, truth, text, bytes
    /// SQLite keeps microseconds since 1970, PostgreSQL a `timestamptz`.
    case time
    /// An array of integers, in PostgreSQL only.
    case integers
    /// A column that may be null.
    case optional(SQLType)
}

/// The value of a parameter or of a column.
enum SQLValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case truth(Bool)
    case text(String)
    case bytes([UInt8])
    case time(Timestamp)
    case integers([Int64])

    /// A sequence, which no database keeps as an unsigned number.
    static func sequence(_ sequence: UInt64) -> SQLValue { .integer(Int64(clamping: sequence)) }
}

/// The rows that a statement inserts, changes or deletes, as the columns of `item`.
struct SQLItems: Sendable {
    let columns: [(name: String, type: SQLType)]
    let rows: [[SQLValue]]
}

/// A statement with its values.
package struct SQLCall: Sendable {
    let statement: SQLStatement
    let values: [SQLValue]
    let items: SQLItems?

    init(_ statement: SQLStatement, _ values: SQLValue..., items: SQLItems? = nil) {
        self.init(statement, values: values, items: items)
    }

    init(_ statement: SQLStatement, values: [SQLValue], items: SQLItems? = nil) {
        self.statement = statement
        self.values = values
        self.items = items
    }
}

/// One row of a result. A session has checked its values against the statement's columns, so that
/// asking for another type is a mistake in this program.
package struct SQLRow: Sendable {
    let values: [SQLValue]

    func isNull(_ column: Int) -> Bool { values[column] == .null }

    func integer(_ column: Int) -> Int64 {
        guard case .integer(let value) = values[column] else { mistake(column) }
        return value
    }

    func truth(_ column: Int) -> Bool {
        guard case .truth(let value) = values[column] else { mistake(column) }
        return value
    }

    func text(_ column: Int) -> String {
        guard case .text(let value) = values[column] else { mistake(column) }
        return value
    }

    func bytes(_ column: Int) -> [UInt8] {
        guard case .bytes(let value) = values[column] else { mistake(column) }
        return value
    }

    func time(_ column: Int) -> Timestamp {
        guard case .time(let value) = values[column] else { mistake(column) }
        return value
    }

    func integers(_ column: Int) -> [Int64] {
        guard case .integers(let value) = values[column] else { mistake(column) }
        return value
    }

    /// Nil for null.
    func optional<Value>(_ column: Int, _ read: (Int) -> Value) -> Value? {
        isNull(column) ? nil : read(column)
    }

    private func mistake(_ column: Int) -> Never {
        preconditionFailure("column \(column) has another type")
    }
}

extension String {
    /// The text without U+0000, which PostgreSQL does not keep and SQLite ends a text with. U+FFFD
    /// replaces it.
    var storable: String {
        utf8.contains(0) ? replacing("\u{0}", with: "\u{fffd}") : self
    }
}

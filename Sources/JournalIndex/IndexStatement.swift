import GRDB
import GRDBSQLite

/// A prepared statement, bound and run through SQLite's own interface: GRDB's makes an array of
/// boxed values for each run, which costs more than the run.
struct IndexStatement {
    /// Keeps the statement alive; the connection's cache owns it.
    private let statement: Statement
    private var pointer: OpaquePointer { statement.sqliteStatement }

    init(_ database: Database, sql: String) throws {
        statement = try database.cachedStatement(sql: sql)
    }

    /// Binds a text in place. The bytes must stay valid until `run` returns.
    func bind(_ index: Int32, _ text: Range<Int>?, of bytes: UnsafeRawBufferPointer) {
        guard let text else { return bindNull(index) }
        let start = bytes.baseAddress?.advanced(by: text.lowerBound)
        // Without a destructor SQLite copies nothing. A null pointer would bind NULL.
        sqlite3_bind_text(
            pointer, index, start?.assumingMemoryBound(to: CChar.self) ?? Self.nothing,
            Int32(text.count), nil)
    }

    func bind(_ index: Int32, _ number: Int64?) {
        guard let number else { return bindNull(index) }
        sqlite3_bind_int64(pointer, index, number)
    }

    private func bindNull(_ index: Int32) { sqlite3_bind_null(pointer, index) }

    /// Runs the statement, which returns no rows, and resets it.
    func run() throws {
        let code = sqlite3_step(pointer)
        sqlite3_reset(pointer)
        guard code == SQLITE_DONE else {
            let message = sqlite3_errmsg(sqlite3_db_handle(pointer)).map { String(cString: $0) }
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
    }

    /// The address of an empty text.
    private static var nothing: UnsafePointer<CChar>? {
        UnsafeRawPointer(("" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

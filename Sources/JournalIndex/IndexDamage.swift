import GRDB

/// The index holds something that was never written, or its files have changed. It is deleted and
/// filled again from the journal.
struct IndexDamage: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Whether `error` means that the index itself is bad. Other errors, such as a full disk, may
    /// pass: the index stays.
    static func isReported(by error: any Error) -> Bool {
        switch error {
        case is IndexDamage, is RowDecodingError: true
        case let error as DatabaseError: isReported(by: error)
        default: false
        }
    }

    /// `error` in one sentence, without the SQL statement.
    static func sentence(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError: error.sentence
        // It would print the row.
        case is RowDecodingError: "a row has an unexpected type"
        default: "\(error)"
        }
    }

    private static func isReported(by error: DatabaseError) -> Bool {
        switch error.extendedResultCode {
        // A file that ends too early, or a disk that cannot read it any more.
        case .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS,
            .SQLITE_IOERR_DATA:
            return true
        default: break
        }
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT,
            // The tables, or their contents, are not those that the index writes.
            .SQLITE_ERROR, .SQLITE_SCHEMA, .SQLITE_MISMATCH, .SQLITE_CONSTRAINT, .SQLITE_TOOBIG,
            .SQLITE_RANGE, .SQLITE_INTERNAL:
            return true
        default: return false
        }
    }
}

extension DatabaseError {
    fileprivate var sentence: String {
        "SQLite error \(extendedResultCode.rawValue): \(message ?? "unknown")"
    }
}

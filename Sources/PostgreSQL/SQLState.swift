/// The SQLSTATE codes that ipnd uses (PostgreSQL documentation, Appendix A).
package enum SQLState: Sendable, Equatable {
    /// 01000, reported when the wait for the synchronous standby was cancelled.
    case warning
    /// 25006: the server is a standby, or was made read-only.
    case readOnlyTransaction
    /// 28P01
    case wrongPassword
    /// 28000, e.g. no line of pg_hba.conf admits the client.
    case notAuthorized
    /// 3D000
    case missingDatabase
    /// 3F000
    case missingSchema
    /// 42P01
    case missingTable
    /// 42703
    case missingColumn
    /// 42883
    case missingFunction
    /// 42704, e.g. a role that does not exist.
    case missingObject
    /// 42710, e.g. a role that already exists.
    case duplicateObject
    /// 42501
    case missingPrivilege
    /// 23505
    case notUnique
    /// 23514, reported when a partitioned table has no partition for a row.
    case outsidePartitions
    /// 40001
    case serializationFailure
    /// 40P01
    case deadlock
    /// 53100
    case diskFull
    /// 53200
    case outOfMemory
    /// 53300
    case tooManyConnections
    /// 55P03: `lock_timeout` has passed.
    case lockTimeout
    /// 57014: `statement_timeout` has passed, or the statement was cancelled.
    case cancelled
    /// 57P01: an administrator ended the session, or the server is shutting down.
    case adminShutdown
    /// 57P02: another process of the server crashed.
    case crashShutdown
    /// 57P03: the server is starting or stopping.
    case notReady
    /// Any other code.
    case other(String)

    package init(code: String) {
        self = Self.known.first { $0.code == code }?.state ?? .other(code)
    }

    /// The five characters of the code.
    package var code: String {
        if case .other(let code) = self { return code }
        return Self.known.first { $0.state == self }?.code ?? ""
    }

    private static let known: [(code: String, state: SQLState)] = [
        ("01000", .warning), ("25006", .readOnlyTransaction), ("28P01", .wrongPassword),
        ("28000", .notAuthorized), ("3D000", .missingDatabase), ("3F000", .missingSchema),
        ("42P01", .missingTable), ("42703", .missingColumn), ("42883", .missingFunction),
        ("42704", .missingObject), ("42710", .duplicateObject), ("42501", .missingPrivilege),
        ("23505", .notUnique),
        ("23514", .outsidePartitions), ("40001", .serializationFailure), ("40P01", .deadlock),
        ("53100", .diskFull), ("53200", .outOfMemory), ("53300", .tooManyConnections),
        ("55P03", .lockTimeout), ("57014", .cancelled), ("57P01", .adminShutdown),
        ("57P02", .crashShutdown), ("57P03", .notReady),
    ]
}

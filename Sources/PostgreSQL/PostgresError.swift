/// What can go wrong with a database. No text in it holds a secret of the connection string.
package enum PostgresError: Error, Sendable, Equatable {
    /// The connection string names something that cannot be, e.g. `sslmode=requir` or a service
    /// that no service file has. Trying again is useless.
    case settings(String)
    /// No server answers: nothing listens, the name is unknown, or time is up.
    case unreachable(String)
    /// A server answers and refuses the session, e.g. `wrongPassword`.
    case refused(SQLState, String)
    /// Every server that answers is read-only: a standby, or a primary that was demoted.
    case readOnly(String)
    /// Something between ipnd and the server shares sessions (pgbouncer in transaction mode), so
    /// that what a session has set does not hold.
    case pooled(String)
    /// A statement failed. The session continues, its transaction does not.
    case statement(SQLState, String)
    /// The connection ended. What was under way may have happened or not.
    case lost(String)
    /// Our own deadline passed and the socket was closed. What was under way may have happened.
    case deadline(String)
    /// The server answered what does not fit the question. The connection was closed.
    case unexpected(String)

    /// A pooler that gives each transaction another of the server's sessions.
    package static func sharedSession(_ host: String) -> PostgresError {
        .pooled("\(host) gives every transaction another session")
    }

    /// Whether the connection can still be used.
    package var leavesConnectionOpen: Bool {
        if case .statement = self { return true }
        return false
    }

    /// The snake_case code that logs and metrics carry.
    package var reason: String {
        switch self {
        case .settings: "database_settings"
        case .unreachable: "database_unreachable"
        case .refused(let state, _):
            switch state {
            case .wrongPassword, .notAuthorized: "database_not_authorized"
            case .missingDatabase: "database_missing"
            case .tooManyConnections: "database_too_many_connections"
            case .notReady: "database_not_ready"
            case .diskFull: "database_full"
            default: "database_refused"
            }
        case .readOnly: "database_read_only"
        case .pooled: "database_pooled"
        case .statement(let state, _):
            switch state {
            case .readOnlyTransaction: "database_read_only"
            case .diskFull: "database_full"
            case .lockTimeout, .cancelled: "database_slow"
            default: "database_statement"
            }
        case .lost: "database_connection_lost"
        case .deadline: "database_deadline"
        case .unexpected: "database_unexpected_answer"
        }
    }
}

extension PostgresError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .settings(let text): "the connection string cannot be used: \(text)"
        case .unreachable(let text): "the database cannot be reached: \(text)"
        case .refused(let state, let text):
            "the database refuses the session: \(text) (\(state.code))"
        case .readOnly(let text): "the database is read-only: \(text)"
        case .pooled(let text): "there is a connection pooler in front of the database: \(text)"
        case .statement(let state, let text):
            "the database refuses a statement: \(text) (\(state.code))"
        case .lost(let text): "the connection to the database ended: \(text)"
        case .deadline(let text): "the database did not answer in time: \(text)"
        case .unexpected(let text): "the database answered what was not asked: \(text)"
        }
    }
}

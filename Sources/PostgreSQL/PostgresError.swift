/// An error of a database. No text in it contains a secret of the connection string.
package enum PostgresError: Error, Sendable, Equatable {
    /// The connection string is unusable, e.g. `sslmode=requir` or an unknown service. Retrying is
    /// useless.
    case settings(String)
    /// No server answers: connection refused, the name is unknown, or the time has passed.
    case unreachable(String)
    /// A server refuses the session, e.g. `wrongPassword`.
    case refused(SQLState, String)
    /// Every server that answers is read-only: a standby, or a demoted primary.
    case readOnly(String)
    /// A pooler between ipnd and the server shares sessions (pgbouncer in transaction mode), so
    /// that session settings do not hold.
    case pooled(String)
    /// A statement failed. The session continues, its transaction does not.
    case statement(SQLState, String)
    /// The connection ended. The outcome of pending commands is unknown.
    case lost(String)
    /// The deadline passed and the socket was closed. The outcome of pending commands is unknown.
    case deadline(String)
    /// The server's answer does not fit the request. The connection was closed.
    case unexpected(String)

    /// A pooler runs each transaction in a different session.
    package static func sharedSession(_ host: String) -> PostgresError {
        .pooled("\(host) gives every transaction another session")
    }

    /// Whether the connection is still usable.
    package var leavesConnectionOpen: Bool {
        if case .statement = self { return true }
        return false
    }

    /// The snake_case code for logs and metrics.
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
        case .unexpected(let text): "unexpected answer from the database: \(text)"
        }
    }
}

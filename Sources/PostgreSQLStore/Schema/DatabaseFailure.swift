import PostgreSQL

/// The reason why a database cannot be used, and the remedy, for commands and for a start.
package struct DatabaseFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package var problem: String
    package var remedy: String
    /// Whether a person has to act. If not, trying again may help.
    package var isMistake: Bool

    /// The reason code in logs and metrics.
    package var reason: String

    package init(
        _ problem: String, _ remedy: String, isMistake: Bool = true,
        reason: String = "database_tables"
    ) {
        self.reason = reason
        self.problem = problem
        self.remedy = remedy
        self.isMistake = isMistake
    }

    /// One line.
    package var description: String { "\(problem); \(remedy)" }

    /// The meaning of an error while reading the database.
    ///
    /// - Parameter schema: The schema of the configuration.
    package init(_ error: PostgresError, schema: String) {
        self = Self.failure(error, schema)
        if reason == "database_tables" { reason = error.reason }
    }

    private static func failure(_ error: PostgresError, _ schema: String) -> DatabaseFailure {
        switch error {
        case .settings:
            return DatabaseFailure(
                "\(error)", "correct it where `database.connection` takes it from")
        case .refused(let state, _): return refusal(error, state)
        case .pooled:
            return DatabaseFailure(
                "\(error)", "set its pool_mode to session, or name the server's own host and port")
        case .statement(let state, _): return failure(error, state, schema)
        case .readOnly:
            return DatabaseFailure(
                "\(error)", "name all hosts of the cluster in the connection string",
                isMistake: false)
        case .unreachable, .lost, .deadline, .unexpected:
            return DatabaseFailure(
                "\(error)", "check the server and the network", isMistake: false)
        }
    }

    private static func refusal(_ error: PostgresError, _ state: SQLState) -> DatabaseFailure {
        switch state {
        case .wrongPassword:
            DatabaseFailure("\(error)", "correct user and password of the connection string")
        case .missingDatabase:
            DatabaseFailure("\(error)", "create it, or correct dbname in the connection string")
        case .notReady, .tooManyConnections, .adminShutdown, .crashShutdown:
            DatabaseFailure("\(error)", "try again later", isMistake: false)
        case .diskFull:
            DatabaseFailure("\(error)", "free space on the server's disk", isMistake: false)
        case .outOfMemory:
            DatabaseFailure("\(error)", "check the server", isMistake: false)
        case .missingPrivilege:
            DatabaseFailure("\(error)", "GRANT CONNECT ON the DATABASE TO this user")
        case .notAuthorized:
            DatabaseFailure("\(error)", "let the server's pg_hba.conf admit this user from here")
        default: DatabaseFailure("\(error)", "check the server's log")
        }
    }

    private static func failure(
        _ error: PostgresError, _ state: SQLState, _ schema: String
    ) -> DatabaseFailure {
        switch state {
        case .missingTable, .missingSchema, .missingFunction, .missingColumn:
            missing(schema)
        case .missingPrivilege:
            DatabaseFailure("\(error)", "GRANT ipnd_writer TO the serving user")
        case .diskFull:
            DatabaseFailure("\(error)", "free space on the server's disk", isMistake: false)
        case .lockTimeout, .cancelled, .outOfMemory, .serializationFailure, .deadlock,
            .readOnlyTransaction:
            DatabaseFailure("\(error)", "check the server", isMistake: false)
        default: DatabaseFailure("\(error)", "check the server's log")
        }
    }

    /// This user sees no tables of ipnd.
    static func missing(_ schema: String) -> DatabaseFailure {
        DatabaseFailure(
            "the database has no ipnd tables in the schema \(schema) that this user may see",
            "create them with `ipnd database init`, or correct `database.schema`, or GRANT "
                + "ipnd_writer TO the user that serves")
    }

    /// The tables do not have the version of this program.
    static func version(_ found: Int) -> DatabaseFailure {
        let current = SchemaVersion.current
        if found < 0 {
            return DatabaseFailure(
                "a journal is being imported, or an import was not finished",
                "stop the journal's server, then finish it with `ipnd database import DIR`")
        }
        return DatabaseFailure(
            "the tables have version \(found), and this ipnd reads only version \(current)",
            found > current
                ? "install the newer ipnd that made them"
                : "name another `database.schema` and run `ipnd database init` for it")
    }
}

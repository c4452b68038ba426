import Platform
import PostgreSQL

/// `ipnd database check`: whether the tables exist, this user may use them, and the server keeps
/// what it has acknowledged.
package struct DatabaseCheck: Sendable {
    package struct Finding: Sendable, Equatable, CustomStringConvertible {
        /// Whether `ipnd serve` would not work, or the promise would not hold.
        package var isMistake: Bool
        /// Whether no server can start.
        package var preventsService = false
        package var problem: String
        package var remedy: String

        package var description: String {
            "\(isMistake ? "" : "warning: ")\(problem); \(remedy)"
        }
    }

    /// The settings that are in order, for people.
    package private(set) var report: [String] = []
    package private(set) var findings: [Finding] = []

    package var passes: Bool { !findings.contains(where: \.isMistake) }

    private let schema: String
    private let deadline: MonotonicTime

    /// Runs all checks, and changes nothing.
    package init(
        _ connection: PostgresConnection, _ settings: SessionSettings, seconds: Int = 30
    ) throws(PostgresError) {
        schema = settings.schema
        deadline = connection.clock.now.advanced(seconds: seconds)
        checkVersion(connection)
        try checkTables(connection)
        try checkOwnersFunctions(connection)
        try checkDurability(connection, settings)
        try checkStandbys(connection)
        try checkPatroni(connection)
    }

    private mutating func mistake(
        _ problem: String, _ remedy: String, preventsService: Bool = false
    ) {
        findings.append(
            Finding(
                isMistake: true, preventsService: preventsService, problem: problem,
                remedy: remedy))
    }

    private mutating func warn(_ problem: String, _ remedy: String) {
        findings.append(Finding(isMistake: false, problem: problem, remedy: remedy))
    }

    private mutating func checkVersion(_ connection: PostgresConnection) {
        let version = connection.serverVersion
        let shown = "\(version / 10000).\(version % 10000)"
        report.append(
            "server         PostgreSQL \(shown) on \(connection.host)"
                + (connection.usesTLS ? ", TLS" : ", not encrypted"))
        if version < 130_000 {
            mistake(
                "the server is PostgreSQL \(shown)", "upgrade it to 13 or later",
                preventsService: true)
        }
    }

    private mutating func checkTables(_ connection: PostgresConnection) throws(PostgresError) {
        do throws(DatabaseFailure) {
            try SchemaVersion.require(connection, schema: schema, until: deadline)
        } catch {
            return mistake(error.problem, error.remedy, preventsService: error.isMistake)
        }
        report.append("tables         version \(SchemaVersion.current) in the schema \(schema)")
        let rights = try connection.run(Command(Self.rightsQuery), until: deadline)
        var missing: [String] = []
        for row in 0..<rights.rowCount where try rights.integer(row, 1) == 0 {
            missing.append(try rights.text(row, 0))
        }
        guard !missing.isEmpty else { return }
        let user = try connection.run(Command("SELECT current_user::text"), until: deadline)
            .text(0, 0)
        mistake(
            "the user \(user) may not \(missing.joined(separator: ", "))",
            "GRANT ipnd_writer TO \"\(user)\"", preventsService: true)
    }

    private static let rightsQuery = """
        SELECT 'SELECT meta', has_table_privilege('meta', 'SELECT')
        UNION ALL SELECT 'UPDATE head', has_table_privilege('head', 'SELECT')
            AND has_table_privilege('head', 'UPDATE')
        UNION ALL SELECT 'write sealing', has_table_privilege('sealing', 'SELECT')
            AND has_table_privilege('sealing', 'INSERT')
            AND has_table_privilege('sealing', 'UPDATE')
        UNION ALL SELECT 'INSERT INTO ' || name, has_table_privilege(name, 'SELECT')
            AND has_table_privilege(name, 'INSERT')
            FROM unnest(ARRAY['endpoint', 'event', 'batch']) AS name
        UNION ALL SELECT 'write ' || name, has_table_privilege(name, 'SELECT')
            AND has_table_privilege(name, 'INSERT') AND has_table_privilege(name, 'UPDATE')
            AND has_table_privilege(name, 'DELETE')
            FROM unnest(ARRAY['identity', 'order_state', 'alias', 'lease', 'destination',
                'delivery', 'delivery_attempt', 'delivery_command']) AS name
        UNION ALL SELECT 'EXECUTE ' || name, has_function_privilege(name, 'EXECUTE')
            FROM unnest(ARRAY['add_event_partitions(bigint)', 'forget_events(integer, integer)',
                'drop_event_partition(integer, integer, text[])',
                'see_time(timestamptz, double precision)']) AS name
        """

    /// Checks that functions that run as the owner cannot find objects of their caller.
    private mutating func checkOwnersFunctions(
        _ connection: PostgresConnection
    ) throws(PostgresError) {
        let result = try connection.run(
            Command(Self.functionQuery).with(schema), until: deadline)
        for row in 0..<result.rowCount {
            mistake(
                "the function \(try result.text(row, 0)) runs as its owner with a search path on "
                    + "which its caller may put objects",
                "run `ipnd database init` as the owner of the schema")
        }
        let rights = try connection.run(
            Command(Self.creationQuery).with(schema), until: deadline)
        if try rights.integer(0, 0) == 1 {
            mistake(
                "this user may create objects in the schema \(schema)",
                "REVOKE CREATE ON SCHEMA \"\(schema)\" FROM PUBLIC, and from this user's roles")
        }
        if try rights.integer(0, 1) == 1 {
            warn(
                "this user may create temporary objects",
                "as the database's owner: REVOKE TEMPORARY ON DATABASE … FROM PUBLIC")
        }
    }

    // Not `current_schema()`: if the schema is missing, it creates one for temporary objects.
    private static let functionQuery = """
        SELECT proname FROM pg_proc
        WHERE pronamespace = to_regnamespace(quote_ident($1)) AND prosecdef
            AND NOT EXISTS (
                SELECT FROM unnest(proconfig) AS setting
                WHERE setting IN ('search_path=' || quote_ident($1) || ', pg_temp',
                    'search_path="' || $1 || '", pg_temp'))
        ORDER BY proname
        """

    /// Whether this user may create objects. The owner may, and is needed for `init` and `import`.
    private static let creationQuery = """
        SELECT coalesce((
                SELECT has_schema_privilege(oid, 'CREATE') AND NOT pg_has_role(nspowner, 'USAGE')
                FROM pg_namespace WHERE nspname = $1), false),
            has_database_privilege(current_database(), 'TEMPORARY') AND NOT pg_has_role(
                (SELECT datdba FROM pg_database WHERE datname = current_database()), 'USAGE')
        """

    private mutating func checkDurability(
        _ connection: PostgresConnection, _ settings: SessionSettings
    ) throws(PostgresError) {
        let reasons = [
            "fsync": "a power cut can then damage the whole database",
            "full_page_writes": "a power cut can then tear pages",
        ]
        for (name, reason) in reasons.sorted(by: { $0.key < $1.key }) {
            let command = Command("SELECT current_setting($1)").with(name)
            let value = try connection.run(command, until: deadline).text(0, 0)
            if value == "on" {
                report.append("\(name.padded(to: 15))on")
            } else {
                mistake(
                    "\(name) is \(value): \(reason)",
                    "ALTER SYSTEM SET \(name) = on; SELECT pg_reload_conf()")
            }
        }
        report.append(
            "commits        synchronous_commit = \(settings.synchronousCommit.rawValue) in every "
                + "session of ipnd, whatever role and database say")
    }

    private mutating func checkStandbys(_ connection: PostgresConnection) throws(PostgresError) {
        let names = try connection.run(
            Command("SELECT current_setting('synchronous_standby_names')"), until: deadline
        ).text(0, 0)
        let result = try connection.run(Command(Self.standbyQuery), until: deadline)
        let (standbys, synchronous, hidden) = (
            try result.integer(0, 0), try result.integer(0, 1), try result.integer(0, 2)
        )
        if names.isEmpty {
            return warn(
                "commits are on this one server only: what it acknowledged is lost with its disk",
                "set synchronous_standby_names (with Patroni: synchronous_mode and "
                    + "synchronous_mode_strict)")
        }
        if hidden > 0 {
            return warn(
                "this user cannot see whether a synchronous standby is connected",
                "GRANT pg_read_all_stats TO this user, or check pg_stat_replication")
        }
        if synchronous == 0 {
            return mistake(
                "no synchronous standby is connected (synchronous_standby_names = '\(names)'): "
                    + "every commit waits",
                "start the standby, or correct synchronous_standby_names")
        }
        report.append("standbys       \(synchronous) synchronous of \(standbys)")
    }

    private static let standbyQuery = """
        SELECT count(*), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')),
            count(*) FILTER (WHERE sync_state IS NULL)
        FROM pg_stat_replication
        """

    /// No SQL returns Patroni's version. But since 3.2.0 its sessions are named by their task
    /// (`Patroni heartbeat`), and before that all were named `Patroni`.
    private mutating func checkPatroni(_ connection: PostgresConnection) throws(PostgresError) {
        let query = """
            SELECT count(*), count(*) FILTER (WHERE application_name = 'Patroni')
            FROM pg_stat_activity WHERE application_name ~ '^Patroni'
            """
        let result = try connection.run(Command(query), until: deadline)
        let (sessions, old) = (try result.integer(0, 0), try result.integer(0, 1))
        if old > 0 {
            return warn(
                "a Patroni older than 3.2 manages this server: one below 3.0.3 that uses etcd's v3 "
                    + "API loses acknowledged notifications when a network partition heals",
                "look at `patronictl version`; install 3.0.3 or later, or use etcd's v2 API")
        }
        if sessions > 0 { report.append("manager        Patroni 3.2 or later") }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}

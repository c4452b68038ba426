import CPostgreSQL
import Glibc
import Platform

extension PostgresConnection {
    /// Opens a session with the first host that accepts one and takes writes, and pins what ipnd
    /// depends on.
    ///
    /// Blocks: names are looked up by getaddrinfo(3), which has no deadline of ours. Call it where
    /// nobody waits for the thread.
    ///
    /// - Parameter clock: Whose time all deadlines of the session are.
    /// - Throws: of several hosts' failures the one that a person has to do something about: first
    ///   `settings`, then `refused`, `pooled`, `readOnly`, then `unreachable`.
    package static func connect(
        _ string: ConnectionString, _ settings: SessionSettings, clock: any Clock
    ) throws(PostgresError) -> PostgresConnection {
        let redact = Redaction(secrets: string.secrets)
        let options = try resolved(settings.completing(string.options), redact)
        var failures: [PostgresError] = []
        for host in HostList(options).hosts {
            do throws(PostgresError) {
                let attempt = ConnectionAttempt(
                    host: host, options: options, redact: redact, clock: clock)
                let connection = try attempt.run()
                try connection.pin(settings)
                // Another process than the one that libpq was told of: a pooler is between.
                if connection.serverProcess != connection.backendProcess {
                    try connection.requireOwnSession(beside: try attempt.run(), settings)
                }
                return connection
            } catch {
                failures.append(error)
            }
        }
        throw failures.min { $0.connectingRank < $1.connectingRank } ?? .unreachable("no host")
    }

    /// The options with everything that the environment and service files add. Throws `settings`
    /// where libpq refuses one.
    private static func resolved(
        _ options: [String: String], _ redact: Redaction
    ) throws(PostgresError) -> [String: String] {
        guard let handle = ConnectionAttempt.begin(options) else {
            throw .unreachable("libpq has no memory left")
        }
        defer { PQfinish(handle) }
        let message = String(cString: PQerrorMessage(handle)).singleLine
        // It has begun to connect to the first host: failures of that are told when it is tried.
        let isAboutNetwork = ["connection to server", "could not translate host name"]
            .contains { message.hasPrefix($0) }
        if PQstatus(handle) == CONNECTION_BAD, !isAboutNetwork { throw .settings(redact(message)) }
        guard let list = PQconninfo(handle) else { throw .settings(redact(message)) }
        defer { PQconninfoFree(list) }
        var all: [String: String] = [:]
        for option in ConninfoOptions(first: list) {
            if let value = option.value, !value.isEmpty { all[option.name] = value }
        }
        all["service"] = nil
        return all
    }

    /// Sets what must hold in every session, and looks at what kind of session it is.
    private func pin(_ settings: SessionSettings) throws(PostgresError) {
        let deadline = clock.now.advanced(seconds: settings.connectSecondsMax)
        let calls = settings.pinned.indices.map {
            "set_config($\(2 * $0 + 1), $\(2 * $0 + 2), false)"
        }
        var command = Command(
            """
            SELECT pg_is_in_recovery(), pg_backend_pid(), \(calls.joined(separator: ", "))
            """)
        for (name, value) in settings.pinned { command = command.with(name).with(value) }
        let readOnly = Command("SELECT current_setting('transaction_read_only') = 'on'")
        let results = try run([command], until: deadline)
        guard try results[0].integer(0, 0) == 0 else {
            close()
            throw .readOnly("\(host) is a standby")
        }
        serverProcess = try results[0].integer(0, 1)
        // A transaction of its own: the one above began before the pins.
        guard try run(readOnly, until: deadline).integer(0, 0) == 0 else {
            close()
            throw .readOnly("\(host) takes no writes")
        }
        clearWarning()
    }

    /// Throws `pooled` when a pooler gives this connection another server process for each
    /// transaction (pgbouncer's pool_mode transaction or statement): then what was set in the
    /// session does not hold, and a commit may wait for nothing. In pool_mode session all is well.
    ///
    /// Two idle connections share a process then, or this one gets another the next time: it asks
    /// twice, for a pool that hands processes out in turn. Where a busy pool hides that in all
    /// rounds, `run` notices it later.
    private func requireOwnSession(
        beside other: PostgresConnection, _ settings: SessionSettings
    ) throws(PostgresError) {
        defer { other.close() }
        let deadline = clock.now.advanced(seconds: settings.connectSecondsMax)
        for _ in 0..<Self.poolRounds {
            let beside = try other.run(Command(Self.process), until: deadline)
            for _ in 0..<2 { _ = try run([], until: deadline) }
            guard try beside.integer(0, 0) != serverProcess else {
                close()
                throw .sharedSession(host)
            }
        }
    }

    private static let poolRounds = 8
}

/// One try at one host.
private struct ConnectionAttempt {
    let host: HostList.Host
    let options: [String: String]
    let redact: Redaction
    let clock: any Clock

    static func begin(_ options: [String: String]) -> OpaquePointer? {
        let pairs = options.sorted { $0.key < $1.key }
        let names = pairs.map { strdup($0.key) }
        let values = pairs.map { strdup($0.value) }
        defer { for text in names + values { free(text) } }
        return PQconnectStartParams(
            names.map { $0.map { UnsafePointer($0) } } + [nil],
            values.map { $0.map { UnsafePointer($0) } } + [nil], 0)
    }

    func run() throws(PostgresError) -> PostgresConnection {
        let seconds = options["connect_timeout"].flatMap { Int($0) } ?? 0
        let deadline =
            seconds > 0 ? clock.now.advanced(seconds: seconds) : MonotonicTime.never
        let wait = SocketWait(clock: clock)
        guard let handle = Self.begin(HostList.only(host, of: options)) else {
            throw .unreachable("libpq has no memory left")
        }
        // Of a session that is refused libpq tells the code in this form only.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        let notices = NoticeLog()
        notices.attach(to: handle)
        var state =
            PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            if state == PGRES_POLLING_FAILED {
                defer { PQfinish(handle) }
                throw failure(String(cString: PQerrorMessage(handle)))
            }
            let outcome = wait.wait(
                PQsocket(handle), reads: state == PGRES_POLLING_READING,
                writes: state == PGRES_POLLING_WRITING, until: deadline)
            guard case .ready = outcome else {
                PQfinish(handle)
                throw .unreachable("\(host) did not answer within \(seconds) s")
            }
            state = PQconnectPoll(handle)
        }
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        return PostgresConnection(
            handle, wait, notices: notices, redact: redact, host: host.description)
    }

    /// In verbose form a server's refusal is `FATAL:  28P01: text`, behind libpq's own words, and
    /// with the place in the server's source on a further line.
    private func failure(_ message: String) -> PostgresError {
        let first = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? message
        guard let match = first.firstMatch(of: /:  ([0-9A-Z]{5}): (.*)$/) else {
            return .unreachable("\(host): \(redact(message.singleLine))")
        }
        return .refused(SQLState(code: String(match.1)), "\(host): \(redact(String(match.2)))")
    }
}

extension PostgresError {
    /// Of several hosts' failures the least is told.
    fileprivate var connectingRank: Int {
        switch self {
        case .settings: 0
        case .refused(let state, _):
            // A server that starts, stops or is full is as good as away.
            switch state {
            case .notReady, .tooManyConnections, .adminShutdown, .crashShutdown: 4
            default: 1
            }
        case .pooled: 2
        case .readOnly: 3
        default: 5
        }
    }
}

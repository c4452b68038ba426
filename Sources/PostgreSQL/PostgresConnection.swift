import CPostgreSQL
import Glibc
package import Platform

/// One session with a PostgreSQL server. One thread at a time uses it, and every wait has a
/// deadline.
///
/// At a deadline the socket is closed. A statement is never cancelled: a cancelled wait for the
/// synchronous standby would become a commit that only this server has.
package final class PostgresConnection {
    private enum Expected {
        case preparation(String)
        case result
    }

    private let wire: PostgresWire
    private let notices: NoticeLog
    private let redact: Redaction
    private var prepared: Set<String> = []
    /// Commands that were sent but not received yet, oldest first.
    private var outstanding: [[Expected]] = []
    /// The connected host, for messages.
    package var host: String { wire.host }
    /// The clock of the deadlines.
    package var clock: any Clock { wire.wait.clock }
    /// The server process in which the session's settings were made; 0 before that.
    private(set) var serverProcess: Int64 = 0
    /// A pooler reports another process to libpq than the one that runs the session.
    private var isPooled: Bool { serverProcess != 0 && serverProcess != backendProcess }

    /// Takes over a handle with an established session.
    init(
        _ handle: OpaquePointer, _ wait: SocketWait, notices: NoticeLog, redact: Redaction,
        host: String
    ) {
        wire = PostgresWire(handle, wait, redact: redact, host: host)
        self.notices = notices
        self.redact = redact
    }

    /// Closed here, because libpq may call `notices` until the end.
    deinit { wire.close() }

    // MARK: Connecting

    /// Opens a session with the first host that accepts one and takes writes, and sets the options
    /// that ipnd depends on.
    ///
    /// Blocks: names are resolved by getaddrinfo(3), which has no deadline. Call it on a thread
    /// that may wait.
    ///
    /// - Parameter clock: The clock of all deadlines of the session.
    /// - Throws: If all hosts fail, the error that most needs a person's action: `settings` first,
    ///   then `refused`, `pooled`, `readOnly`, then `unreachable`.
    package static func connect(
        _ string: ConnectionString, _ settings: SessionSettings, clock: any Clock
    ) throws(PostgresError) -> PostgresConnection {
        let redact = Redaction(secrets: string.secrets)
        let options = try ConnectionAttempt.resolved(settings.completing(string.options), redact)
        var failures: [PostgresError] = []
        for host in HostList(options).hosts {
            do throws(PostgresError) {
                let attempt = ConnectionAttempt(
                    host: host, options: options, redact: redact, clock: clock)
                let connection = try attempt.run()
                try connection.pin(settings)
                // A different process than the one reported to libpq: there is a pooler in between.
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

    /// Sets the session's options and checks what kind of server it is.
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
        // A separate transaction: the one above began before the options were set.
        guard try run(readOnly, until: deadline).integer(0, 0) == 0 else {
            close()
            throw .readOnly("\(host) takes no writes")
        }
        clearWarning()
    }

    /// Throws `pooled` if a pooler gives this connection another server process for each
    /// transaction (pgbouncer's pool_mode transaction or statement): session settings do not hold
    /// then, and a commit may not wait for the standby. With pool_mode session nothing is thrown.
    ///
    /// With such a pooler, two idle connections share a process, or this one gets another process
    /// the next time; it asks twice, for a pool that assigns processes in turn. If a busy pool
    /// hides this in all rounds, `run` detects it later.
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

    // MARK: The session

    private var handle: OpaquePointer? { wire.handle }

    /// False after the session has ended on either side.
    package var isOpen: Bool { handle != nil }

    /// Whether the server has not hung up, as far as is visible without a round trip.
    package var isAlive: Bool {
        guard let handle else { return false }
        guard SocketWait.isReadable(PQsocket(handle)) else { return true }
        return PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK
    }

    /// 150018 for 15.18.
    package var serverVersion: Int { handle.map { Int(PQserverVersion($0)) } ?? 0 }

    /// The process reported to libpq; a pooler reports another.
    private var backendProcess: Int64 { handle.map { Int64(PQbackendPID($0)) } ?? 0 }

    /// Whether the session is encrypted.
    package var usesTLS: Bool { handle.map { PQsslInUse($0) != 0 } ?? false }

    /// The first warning since `clearWarning()`. The outcome of a commit with a warning is unknown.
    package var warning: Notice? {
        notices.warning.map { warning in
            Notice(
                severity: warning.severity, state: warning.state, message: redact(warning.message))
        }
    }

    package func clearWarning() {
        notices.clear()
    }

    /// Ends the session properly.
    package func close() { wire.close() }

    /// Closes the connection without ending the session: the server completes what it was doing.
    package func abandon() { wire.abandon() }

    /// Sends the commands in pipeline mode. After the first failure the server skips the others, up
    /// to those of the next `send`.
    package func send(_ commands: [Command]) throws(PostgresError) {
        let handle = try wire.usable()
        guard PQenterPipelineMode(handle) == 1 else { throw wire.lost() }
        var expected: [Expected] = []
        // A statement stays prepared even if the transaction fails, but only from its result on.
        var known = prepared
        for case .preparation(let name) in outstanding.joined() { known.insert(name) }
        for command in isPooled ? commands + [Command(Self.process)] : commands {
            let name = command.statement.name
            if !name.isEmpty, known.insert(name).inserted {
                guard prepare(command, handle) else { throw wire.lost() }
                expected.append(.preparation(name))
            }
            guard command.send(handle) else { throw wire.lost() }
            expected.append(.result)
        }
        guard PQpipelineSync(handle) == 1 else { throw wire.lost() }
        outstanding.append(expected)
    }

    /// Returns the results of the oldest commands that were sent and not received yet. Throws
    /// `sharedSession` if a pooler ran them in another session.
    package func receive(until deadline: MonotonicTime) throws(PostgresError) -> [PostgresResult] {
        let handle = try wire.usable()
        guard !outstanding.isEmpty else { throw wire.unexpected() }
        var (results, failure) = try collect(outstanding.removeFirst(), until: deadline)
        guard !outstanding.isEmpty || PQexitPipelineMode(handle) == 1 else { throw wire.lost() }
        if let failure { throw failure }
        if isPooled, try results.removeLast().integer(0, 0) != serverProcess {
            abandon()
            throw .sharedSession(host)
        }
        return results
    }

    /// Sent after the last command, even COMMIT: until it is answered, no pooler reassigns the
    /// session. Not prepared, because another session would not have it.
    private static let process = "SELECT pg_backend_pid()"

    /// Runs a text of several statements, as one transaction unless it says otherwise.
    package func runScript(
        _ sql: String, until deadline: MonotonicTime
    ) throws(PostgresError) {
        let handle = try wire.usable()
        guard PQsendQuery(handle, sql) == 1 else { throw wire.lost() }
        var failure: PostgresError?
        while true {
            try wire.awaitResult(until: deadline)
            guard let result = PQgetResult(handle) else { break }
            let owned = PostgresResult(result)
            if case .failure(let error) = try wire.outcome(result) { failure = failure ?? error }
            _ = consume owned
        }
        if let failure { throw failure }
    }

    /// Waits for a notification from any session (`LISTEN`). Returns false at the deadline.
    package func awaitNotification(until deadline: MonotonicTime) throws(PostgresError) -> Bool {
        let handle = try wire.usable()
        while true {
            guard PQconsumeInput(handle) == 1 else { throw wire.lost() }
            var isNotified = false
            while let notification = PQnotifies(handle) {
                PQfreemem(notification)
                isNotified = true
            }
            if isNotified { return true }
            let socket = PQsocket(handle)
            switch wire.wait.wait(socket, reads: true, writes: false, until: deadline) {
            case .ready: continue
            case .deadline: return false
            case .failed: throw wire.lost()
            }
        }
    }

    // MARK: A round trip

    private func prepare(_ command: Command, _ handle: OpaquePointer) -> Bool {
        let statement = command.statement
        return PQsendPrepare(
            handle, statement.name, statement.sql, Int32(command.types.count), command.types) == 1
    }

    /// Reads results up to the synchronisation point.
    private func collect(
        _ expected: [Expected], until deadline: MonotonicTime
    ) throws(PostgresError) -> ([PostgresResult], PostgresError?) {
        let handle = try wire.usable()
        var results: [PostgresResult] = []
        var failure: PostgresError?
        var (next, emptyCount) = (0, 0)
        while true {
            try wire.awaitResult(until: deadline)
            guard let result = PQgetResult(handle) else {
                // Follows the results of each command. Two in a row: libpq expects no more results.
                emptyCount += 1
                if emptyCount > 1 { throw wire.lost() }
                continue
            }
            emptyCount = 0
            let owned = PostgresResult(result)
            let outcome = try wire.outcome(result)
            if case .synchronized = outcome {
                guard failure != nil || next == expected.count else { throw wire.unexpected() }
                return (results, failure)
            }
            guard next < expected.count else { throw wire.unexpected() }
            switch (outcome, expected[next]) {
            case (.success, .preparation(let name)): prepared.insert(name)
            case (.success, .result): results.append(owned)
            case (.failure(let error), _): failure = failure ?? error
            case (.skipped, _), (.synchronized, _): break
            }
            next += 1
        }
    }
}

extension PostgresError {
    /// Rank among several hosts' failures; the lowest is reported.
    fileprivate var connectingRank: Int {
        switch self {
        case .settings: 0
        case .refused(let state, _):
            // A server that is starting, stopping or full counts as unreachable.
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

import CPostgreSQL
import Glibc
import Platform

/// One session with a PostgreSQL server. One thread at a time uses it, and every wait has a
/// deadline.
///
/// At a deadline the socket is closed. Never is a statement cancelled: a cancelled wait for the
/// synchronous standby becomes a commit that only this server holds.
package final class PostgresConnection {
    private enum Expected {
        case preparation(String)
        case result
    }

    private enum Outcome {
        case success
        case skipped
        case synchronized
        case failure(PostgresError)
    }

    private var handle: OpaquePointer?
    private let notices: NoticeLog
    let redact: Redaction
    private var prepared: Set<String> = []
    /// The host that was reached, for people.
    package let host: String
    /// The server's process that pinned the session; 0 before that.
    var serverProcess: Int64 = 0
    /// Behind a pooler libpq is told another process.
    private var isPooled: Bool { serverProcess != 0 && serverProcess != backendProcess }

    /// Takes over a handle whose session is established.
    init(_ handle: OpaquePointer, notices: NoticeLog, redact: Redaction, host: String) {
        self.handle = handle
        self.notices = notices
        self.redact = redact
        self.host = host
        PQsetnonblocking(handle, 1)
    }

    deinit { close() }

    /// False after the session has ended, whoever ended it.
    package var isOpen: Bool { handle != nil }

    /// Whether the server has not hung up meanwhile, as far as can be seen without asking it.
    package var isAlive: Bool {
        guard let handle else { return false }
        guard SocketWait.isReadable(PQsocket(handle)) else { return true }
        return PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK
    }

    /// 150018 for 15.18.
    package var serverVersion: Int { handle.map { Int(PQserverVersion($0)) } ?? 0 }

    /// The process that libpq was told of; a pooler tells another.
    var backendProcess: Int64 { handle.map { Int64(PQbackendPID($0)) } ?? 0 }

    /// Whether the session is encrypted.
    package var usesTLS: Bool { handle.map { PQsslInUse($0) != 0 } ?? false }

    /// The first warning since `clearWarning()`. A commit with a warning is of unknown outcome.
    package var warning: Notice? {
        notices.warning.map { warning in
            Notice(
                severity: warning.severity, state: warning.state, message: redact(warning.message))
        }
    }

    package func clearWarning() {
        notices.clear()
    }

    /// Ends the session in order.
    package func close() {
        guard let handle else { return }
        PQfinish(handle)
        self.handle = nil
    }

    /// Ends the connection without a word: whatever the server was doing, it continues with it.
    package func abandon() {
        guard let handle else { return }
        let socket = PQsocket(handle)
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        PQfinish(handle)
        self.handle = nil
    }

    /// Runs the commands in one round trip (pipeline mode) and returns a result for each. After the
    /// first that fails the server passes over the others.
    ///
    /// Without `BEGIN` among them they are one transaction of their own. Throws `pooled` where a
    /// pooler had another session run them.
    package func run(
        _ commands: [Command], until deadline: MonotonicTime
    ) throws(PostgresError) -> [PostgresResult] {
        let handle = try usable()
        let isPooled = isPooled
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        var expected: [Expected] = []
        // What is prepared stays so even if the transaction fails, but only from its answer on.
        var known = prepared
        for command in isPooled ? commands + [Command(Self.process)] : commands {
            let name = command.statement.name
            if !name.isEmpty, known.insert(name).inserted {
                guard prepare(command, handle) else { throw lost() }
                expected.append(.preparation(name))
            }
            guard command.send(handle) else { throw lost() }
            expected.append(.result)
        }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        var (results, failure) = try collect(expected, until: deadline)
        guard PQexitPipelineMode(handle) == 1 else { throw lost() }
        if let failure { throw failure }
        if isPooled, try results.removeLast().integer(0, 0) != serverProcess {
            abandon()
            throw .sharedSession(host)
        }
        return results
    }

    /// Behind the last command, COMMIT too: until it is answered, no pooler takes the session away.
    /// Not prepared: another session would not know it.
    static let process = "SELECT pg_backend_pid()"

    package func run(
        _ command: Command, until deadline: MonotonicTime
    ) throws(PostgresError) -> PostgresResult {
        try run([command], until: deadline)[0]
    }

    /// Runs a text of several statements, as one transaction unless it says otherwise.
    package func runScript(
        _ sql: String, until deadline: MonotonicTime
    ) throws(PostgresError) {
        let handle = try usable()
        guard PQsendQuery(handle, sql) == 1 else { throw lost() }
        var failure: PostgresError?
        while true {
            try awaitResult(until: deadline)
            guard let result = PQgetResult(handle) else { break }
            let owned = PostgresResult(result)
            if case .failure(let error) = try outcome(result) { failure = failure ?? error }
            _ = consume owned
        }
        if let failure { throw failure }
    }

    /// Waits for a notification that some session sent (`LISTEN`). False at the deadline.
    package func awaitNotification(until deadline: MonotonicTime) throws(PostgresError) -> Bool {
        let handle = try usable()
        while true {
            guard PQconsumeInput(handle) == 1 else { throw lost() }
            var isNotified = false
            while let notification = PQnotifies(handle) {
                PQfreemem(notification)
                isNotified = true
            }
            if isNotified { return true }
            switch SocketWait.wait(PQsocket(handle), reads: true, writes: false, until: deadline) {
            case .ready: continue
            case .deadline: return false
            case .failed: throw lost()
            }
        }
    }

    // MARK: One round trip

    private func prepare(_ command: Command, _ handle: OpaquePointer) -> Bool {
        let statement = command.statement
        return PQsendPrepare(
            handle, statement.name, statement.sql, Int32(command.types.count), command.types) == 1
    }

    /// Reads results until the synchronisation point.
    private func collect(
        _ expected: [Expected], until deadline: MonotonicTime
    ) throws(PostgresError) -> ([PostgresResult], PostgresError?) {
        let handle = try usable()
        var results: [PostgresResult] = []
        var failure: PostgresError?
        var (next, emptyCount) = (0, 0)
        while true {
            try awaitResult(until: deadline)
            guard let result = PQgetResult(handle) else {
                // Stands behind the results of each command. Two in a row: libpq expects no more.
                emptyCount += 1
                if emptyCount > 1 { throw lost() }
                continue
            }
            emptyCount = 0
            let owned = PostgresResult(result)
            let outcome = try outcome(result)
            if case .synchronized = outcome {
                guard failure != nil || next == expected.count else { throw unexpected() }
                return (results, failure)
            }
            guard next < expected.count else { throw unexpected() }
            switch (outcome, expected[next]) {
            case (.success, .preparation(let name)): prepared.insert(name)
            case (.success, .result): results.append(owned)
            case (.failure(let error), _): failure = failure ?? error
            case (.skipped, _), (.synchronized, _): break
            }
            next += 1
        }
    }

    /// Sends what is left and waits until `PQgetResult` would not block.
    private func awaitResult(until deadline: MonotonicTime) throws(PostgresError) {
        let handle = try usable()
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw lost() }
            if PQisBusy(handle) == 0 { return }
            let outcome = SocketWait.wait(
                PQsocket(handle), reads: true, writes: unsent == 1, until: deadline)
            switch outcome {
            case .ready: break
            case .deadline:
                abandon()
                throw .deadline("the socket to \(host) was closed")
            case .failed(let code):
                abandon()
                throw .lost("\(host): \(String(cString: strerror(code)))")
            }
            // What the server said before it hung up is in the buffer all the same: `PQgetResult`
            // tells both.
            guard PQconsumeInput(handle) == 1 || PQisBusy(handle) == 0 else { throw lost() }
        }
    }

    /// Throws when the connection cannot be used any more.
    private func outcome(_ result: OpaquePointer) throws(PostgresError) -> Outcome {
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return .success
        case PGRES_PIPELINE_SYNC: return .synchronized
        case PGRES_PIPELINE_ABORTED: return .skipped
        case PGRES_FATAL_ERROR:
            let fields = DiagnosticFields(result)
            let text = redact(fields.message)
            // Without a code it is libpq's own: the connection is gone. FATAL ends the session.
            guard !fields.code.isEmpty, fields.severity == "ERROR" else {
                abandon()
                throw .lost(fields.code.isEmpty ? text : "\(text) (\(fields.code))")
            }
            return .failure(.statement(fields.state, text))
        default: throw unexpected()
        }
    }

    private func usable() throws(PostgresError) -> OpaquePointer {
        guard let handle else { throw .lost("it was closed") }
        return handle
    }

    private func lost() -> PostgresError {
        let text = handle.map { String(cString: PQerrorMessage($0)) } ?? ""
        abandon()
        return .lost("\(host): \(redact(text.singleLine))")
    }

    private func unexpected() -> PostgresError {
        abandon()
        return .unexpected("results in another order from \(host)")
    }
}

extension Command {
    /// Queues it at libpq; false when that cannot send any more.
    fileprivate func send(_ handle: OpaquePointer) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            let base = buffer.baseAddress.map { UnsafeRawPointer($0) }
            let values = places.map { place in
                place.flatMap { place in
                    (base ?? Self.nothing).map {
                        ($0 + place.lowerBound).assumingMemoryBound(to: CChar.self)
                    }
                }
            }
            let lengths = places.map { Int32($0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: places.count)
            let count = Int32(places.count)
            if statement.name.isEmpty {
                return PQsendQueryParams(
                    handle, statement.sql, count, types, values, lengths, formats, 1) == 1
            }
            return PQsendQueryPrepared(
                handle, statement.name, count, values, lengths, formats, 1) == 1
        }
    }

    /// Where a value of no bytes stands: anywhere but at the null pointer, which means null.
    private static var nothing: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: 1) }
}

extension String {
    /// libpq's messages may have several lines, and end with a line break.
    var singleLine: String {
        split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
            .joined(separator: "; ")
    }
}

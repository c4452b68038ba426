import CPostgreSQL
import Glibc
import Platform

/// libpq's end of a session: it sends and reads with a deadline, and knows when the session has
/// ended. `PostgresConnection` says what is run on it, and closes it.
final class PostgresWire {
    /// What a result says of its command.
    enum Outcome {
        case success
        case skipped
        case synchronized
        case failure(PostgresError)
    }

    private(set) var handle: OpaquePointer?
    let wait: SocketWait
    private let redact: Redaction
    /// The host that was reached, for people.
    let host: String

    /// Takes over a handle whose session is established.
    init(_ handle: OpaquePointer, _ wait: SocketWait, redact: Redaction, host: String) {
        self.handle = handle
        self.wait = wait
        self.redact = redact
        self.host = host
        PQsetnonblocking(handle, 1)
    }

    // MARK: The end

    /// Ends the session in order.
    func close() {
        guard let handle else { return }
        PQfinish(handle)
        self.handle = nil
    }

    /// Ends the connection without a word: whatever the server was doing, it continues with it.
    func abandon() {
        guard let handle else { return }
        let socket = PQsocket(handle)
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        PQfinish(handle)
        self.handle = nil
    }

    /// The handle of a session that has not ended.
    func usable() throws(PostgresError) -> OpaquePointer {
        guard let handle else { throw .lost("it was closed") }
        return handle
    }

    /// libpq gave up: the session ends, with its words for why.
    func lost() -> PostgresError {
        let text = handle.map { String(cString: PQerrorMessage($0)) } ?? ""
        abandon()
        return .lost("\(host): \(redact(text.singleLine))")
    }

    /// The server's results do not fit what was asked: the session ends.
    func unexpected() -> PostgresError {
        abandon()
        return .unexpected("results in another order from \(host)")
    }

    // MARK: Reading

    /// Sends what is left and waits until `PQgetResult` would not block.
    func awaitResult(until deadline: MonotonicTime) throws(PostgresError) {
        let handle = try usable()
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw lost() }
            if PQisBusy(handle) == 0 { return }
            let outcome = wait.wait(
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
    func outcome(_ result: OpaquePointer) throws(PostgresError) -> Outcome {
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
}

extension String {
    /// libpq's messages may have several lines, and end with a line break.
    var singleLine: String {
        split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
            .joined(separator: "; ")
    }
}

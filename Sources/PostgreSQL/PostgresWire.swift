import CPostgreSQL
import Glibc
import Platform

/// libpq's end of a session: sends and reads with a deadline, and notices the end of the session.
/// `PostgresConnection` decides what is run on it, and closes it.
final class PostgresWire {
    /// The meaning of a result for its command.
    enum Outcome {
        case success
        case skipped
        case synchronized
        case failure(PostgresError)
    }

    private(set) var handle: OpaquePointer?
    let wait: SocketWait
    private let redact: Redaction
    /// The connected host, for messages.
    let host: String

    /// Takes over a handle with an established session.
    init(_ handle: OpaquePointer, _ wait: SocketWait, redact: Redaction, host: String) {
        self.handle = handle
        self.wait = wait
        self.redact = redact
        self.host = host
        PQsetnonblocking(handle, 1)
    }

    // MARK: The end

    /// Ends the session properly.
    func close() {
        guard let handle else { return }
        PQfinish(handle)
        self.handle = nil
    }

    /// Closes the connection without ending the session: the server completes what it was doing.
    func abandon() {
        guard let handle else { return }
        let socket = PQsocket(handle)
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        PQfinish(handle)
        self.handle = nil
    }

    /// Returns the handle, or throws if the session has ended.
    func usable() throws(PostgresError) -> OpaquePointer {
        guard let handle else { throw .lost("it was closed") }
        return handle
    }

    /// Ends the session after libpq gave up, and returns the error with libpq's message.
    func lost() -> PostgresError {
        let text = handle.map { String(cString: PQerrorMessage($0)) } ?? ""
        abandon()
        return .lost("\(host): \(redact(text.singleLine))")
    }

    /// Ends the session after results that do not fit the commands.
    func unexpected() -> PostgresError {
        abandon()
        return .unexpected("results in another order from \(host)")
    }

    // MARK: Reading

    /// Sends the remaining bytes and waits until `PQgetResult` would not block.
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
            // What the server sent before it hung up is in the buffer all the same; `PQgetResult`
            // reports both.
            guard PQconsumeInput(handle) == 1 || PQisBusy(handle) == 0 else { throw lost() }
        }
    }

    /// Classifies a result. Throws if the connection cannot be used any more.
    func outcome(_ result: OpaquePointer) throws(PostgresError) -> Outcome {
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return .success
        case PGRES_PIPELINE_SYNC: return .synchronized
        case PGRES_PIPELINE_ABORTED: return .skipped
        case PGRES_FATAL_ERROR:
            let fields = DiagnosticFields(result)
            let text = redact(fields.message)
            // Without a code the error is libpq's own: the connection is gone. FATAL ends the
            // session.
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
    /// libpq's messages may have several lines and end with a line break.
    var singleLine: String {
        split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
            .joined(separator: "; ")
    }
}

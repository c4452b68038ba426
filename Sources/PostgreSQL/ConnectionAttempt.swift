import CPostgreSQL
import Glibc
import Platform

/// One attempt to connect to one host.
struct ConnectionAttempt {
    let host: HostList.Host
    let options: [String: String]
    let redact: Redaction
    let clock: any Clock

    private static func begin(_ options: [String: String]) -> OpaquePointer? {
        let pairs = options.sorted { $0.key < $1.key }
        let names = pairs.map { strdup($0.key) }
        let values = pairs.map { strdup($0.value) }
        defer { for text in names + values { free(text) } }
        return PQconnectStartParams(
            names.map { $0.map { UnsafePointer($0) } } + [nil],
            values.map { $0.map { UnsafePointer($0) } } + [nil], 0)
    }

    /// Completes the options from the environment and service files. Throws `settings` if libpq
    /// refuses one.
    static func resolved(
        _ options: [String: String], _ redact: Redaction
    ) throws(PostgresError) -> [String: String] {
        guard let handle = begin(options) else {
            throw .unreachable("libpq is out of memory")
        }
        defer { PQfinish(handle) }
        let message = String(cString: PQerrorMessage(handle)).singleLine
        // libpq has begun to connect to the first host; its network failures are reported by that
        // host's own attempt.
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

    func run() throws(PostgresError) -> PostgresConnection {
        let seconds = options["connect_timeout"].flatMap { Int($0) } ?? 0
        let deadline =
            seconds > 0 ? clock.now.advanced(seconds: seconds) : MonotonicTime.never
        let wait = SocketWait(clock: clock)
        guard let handle = Self.begin(HostList.only(host, of: options)) else {
            throw .unreachable("libpq is out of memory")
        }
        // libpq reports the code of a refused session only in verbose form.
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

    /// The error of a failed attempt. In verbose form a server's refusal is `FATAL:  28P01: text`
    /// after libpq's own text, followed by a line with the place in the server's source.
    private func failure(_ message: String) -> PostgresError {
        let first = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? message
        guard let match = first.firstMatch(of: /:  ([0-9A-Z]{5}): (.*)$/) else {
            return .unreachable("\(host): \(redact(message.singleLine))")
        }
        return .refused(SQLState(code: String(match.1)), "\(host): \(redact(String(match.2)))")
    }
}

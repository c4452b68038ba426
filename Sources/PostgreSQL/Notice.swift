import CPostgreSQL

/// A notice that a server sends in addition to its results.
package struct Notice: Sendable, Equatable {
    /// The severity's English name, independent of the server's language
    /// (`PG_DIAG_SEVERITY_NONLOCALIZED`, since 9.6).
    package var severity: String
    package var state: SQLState
    package var message: String

    package init(severity: String, state: SQLState, message: String) {
        self.severity = severity
        self.state = state
        self.message = message
    }
}

/// The warnings of one session, passed on by libpq's notice receiver while results are read.
///
/// A commit that was not replicated is reported in no other way: `WARNING 01000` if the wait for
/// the standby was cancelled, `WARNING 57P01` before the session ends.
final class NoticeLog {
    private(set) var warning: Notice?

    func clear() { warning = nil }

    /// Registers this log with libpq. It must live as long as the connection.
    func attach(to connection: OpaquePointer) {
        let log = Unmanaged.passUnretained(self).toOpaque()
        PQsetNoticeReceiver(
            connection,
            { log, result in
                guard let log, let result else { return }
                Unmanaged<NoticeLog>.fromOpaque(log).takeUnretainedValue().note(result)
            }, log)
    }

    private func note(_ result: OpaquePointer) {
        let fields = DiagnosticFields(result)
        guard fields.severity == "WARNING", warning == nil else { return }
        warning = Notice(severity: fields.severity, state: fields.state, message: fields.message)
    }
}

/// The fields of an error or notice (libpq-fe.h and postgres_ext.h, `PG_DIAG_…`).
struct DiagnosticFields {
    var severity: String
    /// Five characters; empty for libpq's own errors.
    var code: String
    var message: String
    var state: SQLState { SQLState(code: code) }

    init(_ result: OpaquePointer) {
        func field(_ name: Unicode.Scalar) -> String {
            PQresultErrorField(result, Int32(name.value)).map { String(cString: $0) } ?? ""
        }
        severity = field("V")
        code = field("C")
        message = field("M")
        if message.isEmpty {
            message = PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
        }
        while message.last?.isWhitespace == true { message.removeLast() }
    }
}

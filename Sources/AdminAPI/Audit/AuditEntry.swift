import JSON
import Payments

/// One entry of the audit trail: who did or saw what, when, and from where (PCI DSS 4.0.1, 10.2.2).
package struct AuditEntry: APIObject {
    /// The kinds of entries.
    package enum What: String, Sendable, CaseIterable {
        case start, stop, reload
        case signIn = "sign_in"
        case signOut = "sign_out"
        case wrongToken = "wrong_token"
        case identityRefused = "identity_refused"
        case readOrder = "read_order"
        case listOrders = "list_orders"
        case exportOrders = "export_orders"
        case readEvents = "read_events"
        case readRejection = "read_rejection"
        case readAudit = "read_audit"
        case expect, correct, resolve, split, erase, inquire, backfill
        case pause, resume, test, retry, resend
        case resolveDeliveries = "resolve_deliveries"
        case verifyJournal = "verify_journal"

        /// Whether repetitions are counted in one entry: looks, which programs and open pages
        /// repeat, expectations, which are records of their own, and attempts of strangers.
        var canRepeat: Bool {
            switch self {
            case .readOrder, .listOrders, .exportOrders, .readEvents, .readRejection, .readAudit,
                .expect, .wrongToken, .identityRefused:
                true
            default: false
            }
        }
    }

    /// Consecutive from 1.
    package var number: UInt64 = 0
    package var time = Timestamp(microseconds: 0)
    /// The person, `admin`, `viewer`, `local`, or `ipnd` for the service itself; empty for a caller
    /// who was not recognised.
    package var who = ""
    package var role: String?
    /// The client's address, or `unix`.
    package var remote = ""
    /// A raw value of ``What``.
    package var what = ""
    /// The order, destination, refused request or position in the feed.
    package var on: String?
    /// The status of the HTTP answer; nil where there was no request.
    package var result: Int?
    /// Number of requests, where several are one entry.
    package var count: Int?
    /// Hex SHA-256 of the line before this one; 64 zeros for the first.
    package var previous = ""

    package init() {}

    /// An entry that is not written yet.
    package init(
        _ what: What, by who: String, role: AdminRole? = nil, from remote: String,
        on subject: String? = nil, result: Int? = nil
    ) {
        self.who = who
        self.role = role?.rawValue
        self.remote = remote
        self.what = what.rawValue
        on = subject.map { text in
            text.unicodeScalars.count <= Self.subjectScalarsMax
                ? text : String(text.unicodeScalars.prefix(Self.subjectScalarsMax)) + "…"
        }
        self.result = result
    }

    /// The same of a caller.
    package init(
        _ what: What, by caller: AdminCaller, on subject: String? = nil, result: Int? = nil
    ) {
        self.init(
            what, by: caller.name, role: caller.role, from: caller.remote, on: subject,
            result: result)
    }

    /// Whether the caller was not recognised.
    var isByStranger: Bool { who.isEmpty }

    private static let subjectScalarsMax = 300

    package mutating func members(_ form: inout some APIForm) {
        form.required("number", &number)
        form.required("time", &time)
        form.required("who", &who)
        form.optional("role", &role)
        form.required("remote", &remote)
        form.required("what", &what)
        form.optional("on", &on)
        form.optional("result", &result)
        form.optional("count", &count)
        form.required("previous", &previous)
    }
}

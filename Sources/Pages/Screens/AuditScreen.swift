import AdminAPI
import HTTP

/// The audit trail: who did or saw what, newest first.
struct AuditScreen {
    private static let rowsMax = 100

    func page(_ visit: PageVisit) async throws(Problem) -> Response {
        let query = visit.query
        let filter = ["who", "what", "on"].compactMap { name in
            query[name].flatMap { $0.isEmpty ? nil : (name: name, value: $0) }
        }
        var parameters = filter + [("limit", String(Self.rowsMax))]
        if let before = query["before"] { parameters.append(("before", before)) }
        let answer = try await visit.api.auditEntries(parameters)
        var values: PageValues = [
            "rows": answer.entries.map(Self.row), "isEmpty": answer.entries.isEmpty,
            "isFiltered": !filter.isEmpty, "who": query["who"] ?? "", "on": query["on"] ?? "",
            "kinds": AuditEntry.What.allCases.map {
                [
                    "value": $0.rawValue, "word": $0.phrase,
                    "isChosen": $0.rawValue == query["what"],
                ] as PageValues
            },
        ]
        if let next = answer.next {
            values["older"] = query.query(changing: [("before", String(next))])
        }
        return visit.page("audit", .audit, values)
    }

    private static func row(_ entry: AuditEntry) -> PageValues {
        let what = AuditEntry.What(rawValue: entry.what)
        var row: PageValues = [
            "number": PageText.count(entry.number),
            "who": entry.who.isEmpty ? "Unknown" : entry.who,
            "role": entry.role.flatMap(AdminRole.init).map(\.title) ?? "",
            "remote": entry.remote, "what": what?.phrase ?? StatusLook.plain(entry.what),
            "on": entry.on ?? "",
            "times": entry.count.map { "\(PageText.count($0)) times more" } ?? "",
            "failed": entry.result.flatMap { $0 < 400 ? nil : "\($0)" } ?? "",
        ]
        row["time"] = PageText.time(entry.time)
        return row
    }
}

extension AuditEntry.What {
    /// The kind in words.
    var phrase: String {
        switch self {
        case .start: "Started the service"
        case .stop: "Stopped the service"
        case .reload: "Reloaded the configuration"
        case .signIn: "Signed in"
        case .signOut: "Signed out"
        case .wrongToken: "Wrong token"
        case .identityRefused: "Identity refused"
        case .readOrder: "Viewed an order"
        case .listOrders: "Listed orders"
        case .exportOrders: "Exported orders"
        case .readEvents: "Read the event feed"
        case .readRejection: "Viewed a rejected request"
        case .readAudit: "Viewed the audit trail"
        case .expect: "Registered a payment"
        case .correct: "Corrected an expectation"
        case .resolve: "Resolved a review"
        case .split: "Split an order"
        case .erase: "Erased personal data"
        case .inquire: "Asked the provider"
        case .backfill: "Read the provider's events"
        case .pause: "Paused a destination"
        case .resume: "Resumed a destination"
        case .test: "Tested a destination"
        case .retry: "Retried deliveries"
        case .resend: "Delivered again"
        case .resolveDeliveries: "Gave up deliveries"
        case .verifyJournal: "Verified the journal"
        }
    }
}

import HTTP
import Platform

/// A page of the audit trail, newest first.
package struct AuditAnswer: APIObject {
    package var entries: [AuditEntry] = []
    /// Pass it as `before` for the next page; nil at the end.
    package var next: UInt64?

    package init() {}

    package mutating func members(_ form: inout some APIForm) {
        form.required("entries", &entries)
        form.nullable("next", &next)
    }
}

/// `GET /audit?before=N&limit=100&who=alice&what=read_order&on=shop/A-1`
struct AuditRoutes: Sendable {
    static let parameters = ["before", "limit", "who", "what", "on"]
    private static let limitDefault = 100
    private static let limitMax = 1000

    let log: AuditLog?
    private let turns = Turns(1)

    init(log: AuditLog?) { self.log = log }

    func list(_ request: Request, _ caller: AdminCaller) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: Self.parameters)
        return .json(200, try await page(parameters, caller).json())
    }

    func page(
        _ parameters: QueryParameters, _ caller: AdminCaller
    ) async throws(Problem) -> AuditAnswer {
        try caller.checkSeesAudit()
        let before = try parameters.integer("before", in: UInt64(1)...UInt64.max)
        let limit = try parameters.integer("limit", in: 1...Self.limitMax) ?? Self.limitDefault
        let (who, on) = (parameters["who"], parameters["on"])
        let what = parameters["what"]
        if let what, AuditEntry.What(rawValue: what) == nil {
            let known = AuditEntry.What.allCases.map(\.rawValue).joined(separator: ", ")
            throw parameters.invalid("what", "one of: \(known)")
        }
        var answer = AuditAnswer()
        guard let folder = log?.directory else { return answer }
        // Reads files, which must not block a loop.
        answer.entries = await turns.take {
            await WorkerPool.shared.run {
                AuditTrail.newest(
                    in: folder, before: before ?? .max, limit: limit
                ) { entry in
                    (who == nil || entry.who == who) && (what == nil || entry.what == what)
                        && (on == nil || entry.on?.contains(on ?? "") == true)
                }
            }
        }
        if answer.entries.count == limit { answer.next = answer.entries.last?.number }
        return answer
    }
}

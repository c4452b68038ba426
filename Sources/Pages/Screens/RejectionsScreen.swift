import AdminAPI
import Explain
import HTTP
import Platform
import Simulator

/// The rejected requests and their explanations, as from `ipnd rejections` and `ipnd explain`.
struct RejectionsScreen {
    let sources: PageSources
    /// One explanation at a time, because each tries many keys and bodies.
    let turns: Turns

    private static let rowsMax = 100

    func page(_ visit: PageVisit) async throws(Problem) -> Response {
        let query = visit.query
        let chosen = query["id"]
        // Reads files, which must not block a loop.
        let sources = sources
        let entries = await WorkerPool.shared.run { sources.rejections(nil) }
        let shown = entries.filter {
            (query["reason"] == nil || $0.reason == query["reason"])
                && (query["endpoint"] == nil || ($0.nearest ?? $0.endpoint) == query["endpoint"])
        }
        var values: PageValues = [
            "rows": shown.prefix(Self.rowsMax).map { row($0, chosen, query, visit) },
            "isEmpty": shown.isEmpty,
            "reasons": Set(entries.map(\.reason)).sorted().map {
                [
                    "value": $0, "word": StatusLook.plain($0), "isChosen": $0 == query["reason"],
                ] as PageValues
            },
            "endpoints": sources.endpoints().map {
                ["value": $0.name, "isChosen": $0.name == query["endpoint"]] as PageValues
            },
            "isFiltered": query["reason"] != nil || query["endpoint"] != nil,
        ]
        if let chosen, visit.role.seesPersonalData {
            values["explained"] = try await explain(chosen, visit)
        }
        return visit.page("rejections", .rejections, values)
    }

    private func row(
        _ entry: RejectionEntry, _ chosen: String?, _ query: FormFields, _ visit: PageVisit
    ) -> PageValues {
        var row: PageValues = [
            "id": entry.id, "reason": StatusLook.plain(entry.reason), "detail": entry.detail,
            "endpoint": entry.endpoint.isEmpty
                ? entry.nearest.map { "near \($0)" } ?? "" : entry.endpoint,
            "client": visit.role.seesPersonalData ? entry.client : "",
            "bytes": PageText.count(entry.bodyBytes), "isChosen": entry.id == chosen,
            "query": query.query(changing: [("id", entry.id)]),
        ]
        row["received"] = PageText.time(entry.received)
        return row
    }

    private func explain(
        _ id: String, _ visit: PageVisit
    ) async throws(Problem) -> PageValues {
        let sources = sources
        let found = await turns.take {
            await WorkerPool.shared.run {
                sources.rejections(id).first.map { ($0, sources.explain($0)) }
            }
        }
        guard let (entry, explanation) = found else {
            throw Problem(404, "rejection_unknown", "The log no longer contains this entry.")
        }
        var values: PageValues = [
            "id": entry.id, "reason": StatusLook.plain(entry.reason), "detail": entry.detail,
            "request": RequestText(entry.request).values,
        ]
        values["received"] = PageText.time(entry.received)
        guard let explanation else { return values }
        values["verdict"] = verdict(explanation)
        values["notes"] = explanation.notes
        values["hasLikely"] = !explanation.likely.isEmpty
        values["likely"] = explanation.likely
        values["findings"] = explanation.findings.map {
            ["sentence": $0.sentence, "changed": $0.detail, "remedy": $0.remedy] as PageValues
        }
        if let unknown = explanation.unknownPath {
            values["unknownPath"] =
                ["sentence": unknown.sentence, "remedy": unknown.remedy] as PageValues
        }
        return values
    }

    private func verdict(_ explanation: Explanation) -> String {
        guard let refusal = explanation.refusal else {
            return explanation.unknownPath == nil
                ? "The current configuration accepts it: keys or paths were corrected."
                : "Its signature verifies at the nearest endpoint."
        }
        let detail = refusal.detail.prefix(1).uppercased() + refusal.detail.dropFirst() + "."
        guard explanation.findings.isEmpty else { return detail }
        return "\(detail) \(Explanation.likelyTitle)"
    }
}

extension RequestText {
    init(_ request: CapturedRequest) {
        self.init(
            line: "\(request.method) \(String(decoding: request.target, as: UTF8.self))",
            headers: request.headers.map {
                (
                    String(decoding: $0.name, as: UTF8.self),
                    String(decoding: $0.value, as: UTF8.self)
                )
            }, body: request.body)
    }
}

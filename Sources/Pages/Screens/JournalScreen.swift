import AdminAPI
import HTTP
import Journal
import Payments

/// The store: its kind, its size, and whether it is intact.
struct JournalScreen {
    /// Nil with a database.
    let check: JournalCheck?

    func page(_ visit: PageVisit) async throws(Problem) -> Response {
        let metrics = await visit.api.metrics()
        var facts: [(String, String)] = [
            ("Store", metrics.values(of: "store", in: "ipnd_store_info").first ?? "unknown"),
            ("Records", PageText.count(Int(metrics["ipnd_sequence"] ?? 0))),
        ]
        if let bytes = metrics["ipnd_journal_bytes"] {
            facts.append(("Size", PageText.size(bytes)))
            facts.append(
                ("Free", metrics["ipnd_journal_available_bytes"].map(PageText.size) ?? "unknown"))
            facts.append(("Segments", PageText.count(Int(metrics["ipnd_journal_segments"] ?? 0))))
        }
        if let up = metrics["ipnd_database_up"] {
            facts.append(("Database", up == 1 ? "connected" : "does not answer"))
        }
        var values: PageValues = ["isJournal": check != nil]
        if let check {
            facts.append(("Directory", check.directory))
            if let statistics = await check.statistics() {
                facts.append(("Chain head", "\(statistics.chainHead)"))
                if let span = statistics.span {
                    let (first, last) = (span.lowerBound, span.upperBound)
                    facts.append(
                        ("Sequences", "\(PageText.count(first)) to \(PageText.count(last))"))
                }
            }
            values.merge(Self.values(of: check.current)) { _, new in new }
        }
        values["facts"] = facts.map { ["name": $0.0, "value": $0.1] as PageValues }
        return visit.page("journal", .journal, values)
    }

    private static func values(of state: JournalCheck.State) -> PageValues {
        switch state {
        case .never: return ["never": true]
        case .running(let done, let total):
            let percent = total > 0 ? done * 100 / total : 0
            return [
                "running": [
                    "percent": "\(percent)", "done": PageText.size(Double(done)),
                    "total": PageText.size(Double(total)),
                ] as PageValues
            ]
        case .failed(let text, let time):
            return ["failed": ["text": text, "time": Self.time(time)] as PageValues]
        case .ended(let verification, let time, let seconds):
            return [
                "ended": [
                    "isIntact": verification.damage == nil,
                    "damage": verification.damage.map { "\($0)" } ?? "",
                    "records": PageText.count(verification.records),
                    "frames": PageText.count(verification.frames),
                    "head": "\(verification.chainHead)", "seconds": PageText.decimal(seconds),
                    "time": Self.time(time),
                ] as PageValues
            ]
        }
    }

    private static func time(_ microseconds: Int64) -> PageValues {
        PageText.time(Timestamp(microseconds: microseconds))
    }
}

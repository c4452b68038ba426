import AdminAPI
import ArgumentParser
import Bytes
import Console
import Glibc
import Platform

import struct Payments.Timestamp

/// `ipnd backfill`
struct BackfillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backfill",
        abstract: "Read the provider's own list of events, and record those that are missing.",
        discussion: """
            After an outage that was longer than the provider's retries, or after the loss of a \
            disk. Reads through the running server that --config describes; the endpoint needs an \
            `inquiry`, and its provider a list of events. An event that is known already is not \
            recorded again, and one that arrives later is a duplicate.

            Exit status 0: the whole list was read. 69: it was not; the command that continues is \
            printed.

            Example: ipnd backfill --endpoint \(ExampleName.listing) --days 3
            """)

    @Option(help: "The endpoint whose provider is asked.", completion: .endpoints)
    var endpoint: String
    @Option(
        help: "Events from then on: 2026-11-01 (UTC) or 2026-11-01T00:00:00Z.",
        transform: ReconcileCommand.time)
    var since: Timestamp?
    @Option(help: "Events of so many days.")
    var days: Int?
    @Option(help: "Events until then (default: now).", transform: ReconcileCommand.time)
    var until: Timestamp?
    @OptionGroup var server: ServerOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (since == nil) != (days == nil) else {
            throw ValidationError("give either --since or --days")
        }
        if let days, days < 1 { throw ValidationError("--days: it has to be more than zero") }
        if let since, let until, since >= until {
            throw ValidationError("--since must be before --until")
        }
    }

    func run() async throws {
        if let complaint = KnownNames.complaint(ofEndpoint: endpoint, inFile: server.file.config) {
            StandardError.print("ipnd backfill: --endpoint: \(complaint)")
            throw ExitCode(EX_USAGE)
        }
        let clock = SystemClock()
        let end = until ?? Timestamp(microseconds: clock.wallMicroseconds)
        let day: Int64 = 86_400_000_000
        let start =
            since ?? Timestamp(microseconds: end.microseconds - Int64(days ?? 0) * day)
        let admin = try AdminConnection(server)
        let total = try await Self.read(
            admin, endpoint, since: start, until: end, clock: clock)
        StandardOutput.print(
            json ? String(decoding: total.answer.json(), as: UTF8.self) : total.sentence)
        let listed = Int64(total.answer.daysMax) * day
        if listed > 0, start.microseconds < clock.wallMicroseconds - listed {
            StandardError.print(
                "ipnd backfill: the provider lists the events of \(total.answer.daysMax) days; "
                    + "earlier ones are not in it")
        }
        guard let cause = total.interruption else { return }
        StandardError.print("ipnd backfill: \(cause)")
        let reached = total.answer.earliest ?? end.rfc3339
        StandardError.print(
            "continue with: ipnd backfill --endpoint \(endpoint) --since \(start.rfc3339) "
                + "--until \(reached)")
        throw ExitCode(EX_UNAVAILABLE)
    }

    /// All pages that were read.
    private struct Total {
        var answer = BackfillAnswer()
        var pages = 0
        /// Why the list was not read to its end; nil if it was.
        var interruption: String?

        mutating func add(_ page: BackfillAnswer) {
            pages += 1
            answer.verdict = page.verdict
            answer.reason = page.reason
            answer.detail = page.detail
            answer.read += page.read
            answer.conflicts += page.conflicts
            answer.next = page.next
            answer.daysMax = page.daysMax
            // Times of this form are in order as texts.
            if let earliest = page.earliest {
                answer.earliest = min(answer.earliest ?? earliest, earliest)
            }
            for count in page.recorded {
                if let index = answer.recorded.firstIndex(where: { $0.kind == count.kind }) {
                    answer.recorded[index].events += count.events
                } else {
                    answer.recorded.append(count)
                }
            }
        }

        var sentence: String {
            let new = answer.recorded.reduce(0) { $0 + $1.events }
            var text = "\(counted(answer.read, "event")) read, \(new) new"
            if new > 0 {
                let kinds = answer.recorded.map { "\($0.events) \($0.kind)" }
                text += " (\(kinds.joined(separator: ", ")))"
            }
            if answer.conflicts > 0 {
                text += "; \(answer.conflicts) in conflict with what was known"
            }
            return text
        }
    }

    /// Consecutive pages without an answer that mean that the provider is unavailable.
    private static let failuresMax = 5

    private static func read(
        _ admin: AdminConnection, _ endpoint: String, since: Timestamp, until: Timestamp,
        clock: any Clock
    ) async throws -> Total {
        var total = Total()
        var failures = 0
        let bar = ProgressBar("reading")
        defer { bar.finish() }
        let path = "/endpoints/\(PercentEncoding.encode(Array(endpoint.utf8)))/backfill"
        while true {
            var target = "\(path)?since=\(since.rfc3339)&until=\(until.rfc3339)"
            if let cursor = total.answer.next {
                target += "&cursor=\(PercentEncoding.encode(Array(cursor.utf8)))"
            }
            var seconds = 1
            switch try admin.ask("POST", target) as AdminConnection.Reply<BackfillAnswer> {
            case .refusal(429, _, let retryAfterSeconds):
                seconds = retryAfterSeconds ?? seconds
            case .refusal(let status, let detail, _):
                StandardError.print("ipnd backfill: \(admin.place) answers \(status): \(detail)")
                throw ExitCode(EX_UNAVAILABLE)
            case .success(let page) where page.verdict == "answered":
                failures = 0
                total.add(page)
                if let earliest = page.earliest.flatMap({ Timestamp(iso8601: $0) }) {
                    let whole = until.microseconds - since.microseconds
                    bar.show(
                        Int((until.microseconds - earliest.microseconds) / 1_000_000),
                        of: Int(whole / 1_000_000))
                }
                if page.next == nil { return total }
                continue
            case .success(let page):
                failures += 1
                guard page.verdict == "retry", failures < failuresMax else {
                    total.interruption = "the provider: \(page.reason): \(page.detail)"
                    return total
                }
                seconds = page.retryAfterSeconds ?? seconds
            }
            try await clock.sleep(seconds: seconds)
        }
    }
}

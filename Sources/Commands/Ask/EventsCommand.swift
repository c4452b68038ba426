import AdminAPI
import ArgumentParser
import Console
import Glibc
import JSON
import Journal
import Platform

/// `ipnd events`
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Print recorded events, oldest first.",
        discussion: """
            Asks the admin API that --config describes, or reads --journal DIR when no server \
            runs. --follow prints durable records only and continues after a restart of the \
            server. Pass the last sequence number to --after to resume.

            Example: ipnd events --after 100 --limit 10
            """)

    @OptionGroup var reading: ReadingOptions
    @Option(help: "Start after this sequence number.") var after: UInt64 = 0
    @Option(help: "Maximum number of events.") var limit: Int?
    @Option(help: "Only events of this endpoint.", completion: .endpoints) var endpoint: String?
    @Option(
        help: "Only events with this flag (conflict, unknown_status, …).",
        completion: .list(KnownNames.flags))
    var flag: String?
    @Flag(help: "Continue with new events until interrupted.") var follow = false

    private static let pollMilliseconds = 100
    private static let pageMax = 1000

    func validate() throws {
        guard (limit ?? 1) > 0 else { throw ValidationError("--limit must be at least 1") }
        if let flag, !KnownNames.flags.contains(flag) {
            throw ValidationError(
                "--flag: " + KnownNames.complaint("flag", flag, among: KnownNames.flags))
        }
    }

    /// Prints the record if it matches the filters. Returns whether it did, and adds its endpoint
    /// to `met`.
    private func print(
        _ record: JSONValue, _ printer: EventPrinter, _ met: inout Set<String>
    ) -> Bool {
        if reading.json, endpoint == nil, flag == nil {
            printer.add(json: record.rawBytes)
            return true
        }
        guard let event = EventAnswer(json: record) else {
            StandardError.print("ipnd events: skipped a record of unknown form; use --json")
            return false
        }
        met.insert(event.endpoint)
        guard endpoint == nil || event.endpoint == endpoint,
            flag.map(event.flags.contains) ?? true
        else { return false }
        if reading.json { printer.add(json: record.rawBytes) } else { printer.add(event) }
        return true
    }

    /// Reports an endpoint that no record has and the configuration does not name.
    private func checkEndpoint(_ met: Set<String>) throws {
        guard let endpoint, !met.contains(endpoint) else { return }
        let complaint: String? =
            reading.journal == nil
            ? KnownNames.complaint(ofEndpoint: endpoint, inFile: reading.file.config)
            : met.isEmpty
                ? nil : KnownNames.complaint("endpoint", endpoint, among: met.sorted())
        guard let complaint else { return }
        StandardError.print("ipnd events: --endpoint: \(complaint)")
        throw ExitCode(EX_USAGE)
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let printer = EventPrinter(terminal: reading.display.terminal)
        // With --follow there is no end at which to report an unknown endpoint.
        if follow, reading.journal == nil { try checkEndpoint([]) }
        do {
            if let directory = reading.journal {
                try await readJournal(directory, printer, SystemClock())
            } else {
                let admin = try AdminConnection(reading)
                admin.keepsTrying = follow
                try readServer(admin, printer)
            }
        } catch let code as ExitCode {
            throw code
        } catch is EventPrinter.OutputClosed {
            return
        } catch {
            throw JournalFailure.exit(error)
        }
    }

    private func readServer(_ admin: AdminConnection, _ printer: EventPrinter) throws {
        var after = after
        var rest = limit ?? .max
        var met: Set<String> = []
        while rest > 0 {
            let wait = follow ? "&wait=55" : ""
            let target = "/events?after=\(after)&limit=\(pageLimit(rest))\(wait)"
            guard let page: EventPageAnswer = try admin.get(target) else { return }
            if let gap = page.gap {
                StandardError.print(
                    "ipnd: the records \(gap.from) to \(gap.to) were deleted by retention")
            }
            for record in page.events where rest > 0 {
                if print(record, printer, &met) { rest -= 1 }
            }
            try printer.flush()
            after = page.next
            if page.events.isEmpty, !follow { return try checkEndpoint(met) }
        }
    }

    /// Size of a page; with a filter a page may hold more than are printed.
    private func pageLimit(_ rest: Int) -> Int {
        endpoint == nil && flag == nil ? min(rest, Self.pageMax) : Self.pageMax
    }

    private func readJournal(
        _ directory: String, _ printer: EventPrinter, _ clock: any Clock
    ) async throws {
        var reader = try JournalReader(
            directory: directory, after: after, extent: follow ? .durable : .whole)
        var opener = try reading.opener(of: directory)
        var rest = limit ?? .max
        var met: Set<String> = []
        while rest > 0 {
            let count: Int
            do {
                count = try reader.read(limit: pageLimit(rest)) { _, record in
                    let opened = try opener?.open(record) ?? [UInt8](record)
                    let event = try JSONDocument(parsing: opened, limits: .trusted).root
                    if rest > 0, print(event, printer, &met) { rest -= 1 }
                }
            } catch {
                // Records before the damage are intact.
                try printer.flush()
                throw error
            }
            try printer.flush()
            guard count == 0 else { continue }
            guard follow else { return try checkEndpoint(met) }
            try await clock.sleep(milliseconds: Self.pollMilliseconds)
        }
    }
}

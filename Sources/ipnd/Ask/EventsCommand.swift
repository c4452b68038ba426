import ArgumentParser
import Glibc
import JSON
import Journal
import Simulator

/// `ipnd events`
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Print recorded events, oldest first.",
        discussion: """
            Asks the admin API that --config describes, or reads --journal DIR when no server \
            runs. --follow prints durable records only and continues after a restart of the \
            server. Pass the last sequence number to --after to resume.
            """)

    @OptionGroup var reading: ReadingOptions
    @Option(help: "Start after this sequence number.") var after: UInt64 = 0
    @Option(help: "Maximum number of events.") var limit = Int.max
    @Flag(help: "Continue with new events until interrupted.") var follow = false

    private static let pollMilliseconds = 100
    private static let pageMax = 1000

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let printer = EventPrinter(isJSON: reading.json)
        do {
            if let directory = reading.journal {
                try await readJournal(directory, printer)
            } else {
                let admin = try AdminConnection(reading)
                admin.keepsTrying = follow
                try readServer(admin, printer)
            }
        } catch let code as ExitCode {
            throw code
        } catch is EventPrinter.ReaderIsGone {
            return
        } catch {
            throw JournalFailure.exit(error)
        }
    }

    private func readServer(_ admin: AdminConnection, _ printer: EventPrinter) throws {
        var after = after
        var rest = limit
        while rest > 0 {
            let wait = follow ? "&wait=55" : ""
            let target = "/events?after=\(after)&limit=\(min(rest, Self.pageMax))\(wait)"
            guard let page = try admin.get(target)?.root, let events = page["events"] else {
                return
            }
            if let gap = page["gap"] {
                StandardError.print(
                    "ipnd: the records \(gap["from"]?.lexeme ?? "") to \(gap["to"]?.lexeme ?? "") "
                        + "were deleted by retention")
            }
            var count = 0
            for event in events.elements {
                printer.add(event)
                count += 1
            }
            try printer.flush()
            rest -= count
            after = UInt64(clamping: page["next"]?.int64 ?? 0)
            if count == 0, !follow { return }
        }
    }

    private func readJournal(_ directory: String, _ printer: EventPrinter) async throws {
        var reader = try JournalReader(
            directory: directory, after: after, extent: follow ? .durable : .whole)
        var rest = limit
        while rest > 0 {
            let count: Int
            do {
                count = try reader.read(limit: min(rest, Self.pageMax)) { _, record in
                    printer.add(try JSONDocument(parsing: [UInt8](record), limits: .trusted).root)
                }
            } catch {
                // What stands before the damage is good.
                try printer.flush()
                throw error
            }
            try printer.flush()
            rest -= count
            guard count == 0 else { continue }
            guard follow else { return }
            try await Task.sleep(for: .milliseconds(Self.pollMilliseconds))
        }
    }
}

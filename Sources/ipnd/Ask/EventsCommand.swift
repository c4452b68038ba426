import ArgumentParser
import Glibc
import JSON
import Journal
import Simulator

/// `ipnd events`
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Prints what was recorded, oldest first.",
        discussion: """
            Asks the admin listener that --config describes, or reads --journal DIR when no server \
            runs. Only durable records are printed with --follow, which goes on when the server \
            was restarted; whoever remembers the last sequence goes on with --after.
            """)

    @OptionGroup var reading: ReadingOptions
    @Option(help: "Begin after this sequence.") var after: UInt64 = 0
    @Option(help: "Stop after so many events.") var limit = Int.max
    @Flag(help: "Go on with new events until interrupted.") var follow = false

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
                    "ipnd: the records \(gap["from"]?.lexeme ?? "") to \(gap["to"]?.lexeme ?? "") are "
                        + "no longer kept: retention has deleted them")
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

import AdminAPI
import ArgumentParser
import Bytes
import Console
import Glibc

/// `ipnd deliveries`
struct DeliveriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries",
        abstract: "Show and control deliveries to your own systems.",
        discussion: "Asks the admin API that --config describes.",
        subcommands: [
            DeliveriesListCommand.self, DeliveriesRetryCommand.self,
            DeliveriesResolveCommand.self, DeliveriesResendCommand.self,
            DeliveriesPauseCommand.self,
            DeliveriesResumeCommand.self, DeliveriesTestCommand.self,
        ], defaultSubcommand: DeliveriesListCommand.self)
}

/// `ipnd deliveries list`
struct DeliveriesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List destinations, and events that are waiting or dead letters.",
        discussion: """
            With --reference also the order's last attempts: status, latency and the first bytes \
            of the answer.

            Example: ipnd deliveries list --destination shop --state dead
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var filter: DeliveryFilter
    @Option(help: "Maximum number shown.") var limit = 50
    @Flag(help: "Print JSON Lines.") var json = false
    @OptionGroup var display: TerminalOptions

    func validate() throws {
        guard (1...1000).contains(limit) else {
            throw ValidationError("--limit must be between 1 and 1000")
        }
    }

    func run() throws {
        let admin = try AdminConnection(server)
        let query = (filter.pairs + ["limit=\(limit)"]).joined(separator: "&")
        let page: DeliveryListAnswer = try admin.known("/deliveries?\(query)")
        let attempts = page.attempts ?? []
        if json {
            for line in page.deliveries.map({ $0.json() }) + attempts.map({ $0.json() }) {
                guard StandardOutput.write(line + [UInt8(ascii: "\n")]) else { return }
            }
            return
        }
        let answer: DestinationListAnswer? = try admin.get("/destinations")
        let destinations = answer?.destinations ?? []
        if filter.isEmpty { show(destinations) }
        show(page.deliveries, undelivered: undelivered(destinations))
        if page.next != nil {
            StandardOutput.print("There are more; use --limit or a filter.")
        }
        show(attempts: attempts)
    }

    /// Number of events that the selected destinations have not received.
    private func undelivered(_ destinations: [DestinationAnswer]) -> Int {
        destinations.filter { filter.destination == nil || $0.name == filter.destination }
            .reduce(0) { $0 + $1.waiting }
    }

    private func show(_ destinations: [DestinationAnswer]) {
        guard !destinations.isEmpty else {
            StandardOutput.print("The server has no destinations.")
            return
        }
        var table = TextTable([
            ("destination", .left), ("state", .word), ("lag", .right), ("waiting", .right),
            ("dead", .right), ("oldest", .right),
        ])
        for destination in destinations {
            table.add([
                destination.name, Self.state(destination), "\(destination.lag)",
                "\(destination.waiting)", "\(destination.dead)", "\(destination.oldestSeconds) s",
            ])
        }
        StandardOutput.print(table.lines(on: display.terminal).joined(separator: "\n") + "\n")
    }

    /// The state of a destination in a word or two.
    static func state(_ destination: DestinationAnswer) -> String {
        if let pause = destination.paused { return pause == "gone" ? "paused (410)" : "paused" }
        guard destination.served else {
            // Only the instance that serves it has its state.
            return destination.servedBy.map { "at \($0)" } ?? "not served"
        }
        guard destination.breaker == "closed" else { return "failing" }
        // Without fractions of a second: `2026-11-21T07:00:00Z`.
        return destination.heldUntil.map { "held until \($0.rfc3339.prefix(19))Z" }
            ?? "delivering"
    }

    private func show(_ deliveries: [DeliveryAnswer], undelivered: Int) {
        guard !deliveries.isEmpty else {
            StandardOutput.print(
                undelivered == 0
                    ? "No deliveries are waiting."
                    : "No delivery that was tried\(filter.isEmpty ? "" : " matches") is waiting. "
                        + "\(counted(undelivered, "event")) not delivered in all; what was not "
                        + "tried yet is not listed.")
            return
        }
        var table = TextTable([
            ("destination", .left), ("event", .right), ("order", .left), ("status", .word),
            ("state", .word), ("attempts", .right), ("next", .time), ("last", .left),
        ])
        for delivery in deliveries {
            table.add([
                delivery.destination, "\(delivery.sequence)",
                "\(delivery.endpoint)/\(delivery.reference)", delivery.status, delivery.state,
                "\(delivery.attempts)", delivery.due?.rfc3339 ?? "",
                delivery.last?.outcome.reason ?? "",
            ])
        }
        table.print(on: display.terminal)
    }

    private func show(attempts: [DeliveryAttemptAnswer]) {
        guard !attempts.isEmpty else { return }
        var table = TextTable([
            ("began", .time), ("destination", .left), ("event", .right), ("attempt", .right),
            ("outcome", .left), ("ms", .right), ("answer", .left),
        ])
        for attempt in attempts {
            table.add([
                attempt.began.rfc3339, attempt.destination, "\(attempt.sequence)",
                "\(attempt.number)", attempt.outcome.reason,
                "\(attempt.outcome.latencyMicroseconds / 1000)",
                Self.oneLine(attempt.outcome.answer),
            ])
        }
        StandardOutput.print("\n" + table.lines(on: display.terminal).joined(separator: "\n"))
    }

    /// A destination's answer on one line, without control characters.
    static func oneLine(_ text: String) -> String {
        TextTable.printable(
            String(
                text.unicodeScalars.prefix(120).map { scalar in
                    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
                        ? " " : Character(scalar)
                }))
    }
}

/// Options that select deliveries.
struct DeliveryFilter: ParsableArguments {
    @Option(help: "Only those to this destination.") var destination: String?
    @Option(help: "Only those in this state: waiting or dead.") var state: String?
    @Option(help: "Only those of the order with this reference.") var reference: String?
    @Option(help: "Only the event with this sequence.") var sequence: UInt64?

    func validate() throws {
        if let state, !["waiting", "dead"].contains(state) {
            throw ValidationError("--state must be waiting or dead")
        }
    }

    var isEmpty: Bool { pairs.isEmpty }

    /// The options as query parameters.
    var pairs: [String] {
        var pairs: [String] = []
        if let destination {
            pairs.append("destination=\(PercentEncoding.encode(Array(destination.utf8)))")
        }
        if let state { pairs.append("state=\(state)") }
        if let reference {
            pairs.append("reference=\(PercentEncoding.encode(Array(reference.utf8)))")
        }
        if let sequence { pairs.append("sequence=\(sequence)") }
        return pairs
    }
}

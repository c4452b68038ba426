import ArgumentParser
import Bytes
import Glibc
import JSON

/// `ipnd deliveries retry`
struct DeliveriesRetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try dead letters, or waiting events, again now.",
        discussion: """
            Without a filter: all dead letters. Says how many there are and asks, unless --yes is \
            given.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var filter: DeliveryFilter
    @OptionGroup var confirmation: Confirmation

    func run() throws {
        try BulkCommand(path: "/deliveries/retry", verb: "retry", done: "retried")
            .run(try AdminConnection(server), filter, confirmation)
    }
}

/// `ipnd deliveries resolve`
struct DeliveriesResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Give up dead letters and deliver the events behind.",
        discussion: """
            For an event that the destination will never accept and that you handled by hand. \
            Says how many there are and asks, unless --yes is given.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var filter: DeliveryFilter
    @OptionGroup var confirmation: Confirmation

    func run() throws {
        guard !filter.isEmpty else { throw ValidationError("give --reference or another filter") }
        try BulkCommand(path: "/deliveries/resolve", verb: "give up", done: "given up")
            .run(try AdminConnection(server), filter, confirmation)
    }
}

/// Whether a person is asked before.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Only say how many there are.") var dryRun = false
}

/// Counts first, asks, and then does it.
private struct BulkCommand {
    let path: String
    let verb: String
    let done: String

    func run(
        _ admin: AdminConnection, _ filter: DeliveryFilter, _ confirmation: Confirmation
    ) throws {
        let query = filter.pairs
        let counted = try admin.post(target(query + ["dryRun=true"]))
        let matched = counted.root["matched"]?.int64 ?? 0
        let noun = matched == 1 ? "event" : "events"
        guard matched > 0 else { return StandardOutput.print("No events to \(verb).") }
        guard !confirmation.dryRun else {
            return StandardOutput.print("Would \(verb) \(matched) \(noun).")
        }
        if !confirmation.yes { try Question.ask("\(verb.capitalized) \(matched) \(noun)? [y/N] ") }
        let answer = try admin.post(target(query))
        let changed = answer.root["changed"]?.int64 ?? 0
        StandardOutput.print("\(changed) of \(matched) \(noun) \(done).")
    }

    private func target(_ pairs: [String]) -> String {
        pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }
}

/// A question to the person at the terminal.
enum Question {
    /// Throws unless the answer is yes.
    static func ask(_ question: String) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("use --yes: standard input is not a terminal")
        }
        _ = StandardOutput.write(Array(question.utf8))
        guard let line = readLine(), ["y", "yes"].contains(line.lowercased()) else {
            throw ExitCode(EXIT_FAILURE)
        }
    }
}

/// What is asked of one destination.
private enum DestinationCommand {
    /// Asks for it, and says in which state the destination is then.
    static func run(_ action: String, _ name: String, _ server: ServerOptions) throws {
        let answer = try AdminConnection(server).post(
            "/destinations/\(PercentEncoding.encode(Array(name.utf8)))/\(action)")
        StandardOutput.print("\(name): \(DeliveriesListCommand.state(answer.root))")
    }
}

/// `ipnd deliveries pause`
struct DeliveriesPauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Send nothing to a destination until it is resumed.",
        discussion: "Events wait in the store meanwhile. A restart does not resume.")

    @OptionGroup var server: ServerOptions
    @Argument(help: "The destination.") var name: String

    func run() throws {
        try DestinationCommand.run("pause", name, server)
    }
}

/// `ipnd deliveries resume`
struct DeliveriesResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Send to a paused destination again.",
        discussion: "Also ends the pause of a destination that failed or answered 410.")

    @OptionGroup var server: ServerOptions
    @Argument(help: "The destination.") var name: String

    func run() throws {
        try DestinationCommand.run("resume", name, server)
    }
}

/// `ipnd deliveries test`
struct DeliveriesTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send a signed example to a destination.",
        discussion: """
            The message has the type `test`. Exit status 0 when the answer was 2xx, else 1.
            """)

    @OptionGroup var server: ServerOptions
    @Argument(help: "The destination.") var name: String

    func run() throws {
        let answer = try AdminConnection(server).post(
            "/destinations/\(PercentEncoding.encode(Array(name.utf8)))/test"
        ).root
        let milliseconds = (answer["latencyMicroseconds"]?.int64 ?? 0) / 1000
        var line = "\(name): \(answer["reason"]?.string ?? "") in \(milliseconds) ms"
        if let status = answer["status"]?.int64 { line += ", status \(status)" }
        if let detail = answer["detail"]?.string { line += ": \(detail)" }
        StandardOutput.print(line)
        let text = DeliveriesListCommand.oneLine(answer["answer"]?.string ?? "")
        if !text.isEmpty { StandardOutput.print("answer: \(text)") }
        guard answer["delivered"]?.bool == true else { throw ExitCode(EXIT_FAILURE) }
    }
}

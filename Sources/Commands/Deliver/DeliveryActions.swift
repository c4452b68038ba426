import AdminAPI
import ArgumentParser
import Bytes
import Console
import Glibc

/// `ipnd deliveries retry`
struct DeliveriesRetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try dead letters, or waiting events, again now.",
        discussion: """
            Without a filter: all dead letters. Shows their number and asks, unless --yes is given.

            Example: ipnd deliveries retry --destination shop --dry-run
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var filter: DeliveryFilter
    @OptionGroup var confirmation: Confirmation

    func run() throws {
        try DeliveryOperation(path: "/deliveries/retry", verb: "retry", done: "retried")
            .run(try AdminConnection(server), filter.pairs, confirmation)
    }
}

/// `ipnd deliveries resolve`
struct DeliveriesResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Give up dead letters and deliver the events after them.",
        discussion: """
            For an event that the destination will never accept and that you handled by hand. \
            Shows their number and asks, unless --yes is given.

            Example: ipnd deliveries resolve --destination shop --sequence 42
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var filter: DeliveryFilter
    @OptionGroup var confirmation: Confirmation

    func run() throws {
        guard !filter.isEmpty else { throw ValidationError("give --reference or another filter") }
        try DeliveryOperation(path: "/deliveries/resolve", verb: "give up", done: "given up")
            .run(try AdminConnection(server), filter.pairs, confirmation)
    }
}

/// The option that skips the confirmation.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Only show their number.") var dryRun = false
}

/// An action on deliveries: counts them, asks for confirmation, and runs it.
struct DeliveryOperation {
    let path: String
    let verb: String
    let done: String

    func run(
        _ admin: AdminConnection, _ query: [String], _ confirmation: Confirmation
    ) throws {
        let counted: DeliveryChangeAnswer = try admin.post(target(query + ["dryRun=true"]))
        let matched = counted.matched
        let noun = matched == 1 ? "event" : "events"
        guard matched > 0 else { return StandardOutput.print("No events to \(verb).") }
        guard !confirmation.dryRun else {
            return StandardOutput.print("Would \(verb) \(matched) \(noun).")
        }
        if !confirmation.yes { try Question.ask("\(verb.capitalized) \(matched) \(noun)? [y/N] ") }
        let answer: DeliveryChangeAnswer = try admin.post(target(query))
        StandardOutput.print("\(answer.changed) of \(matched) \(noun) \(done).")
    }

    private func target(_ pairs: [String]) -> String {
        pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }
}

/// A question on the terminal.
enum Question {
    /// Asks. Throws unless the answer is yes.
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

/// An action on one destination.
private enum DestinationOperation {
    /// Runs the action and prints the new state of the destination.
    static func run(_ action: String, _ name: String, _ server: ServerOptions) throws {
        let answer: DestinationAnswer = try AdminConnection(server).post(
            "/destinations/\(PercentEncoding.encode(Array(name.utf8)))/\(action)")
        StandardOutput.print("\(name): \(DeliveriesListCommand.state(answer))")
    }
}

/// `ipnd deliveries pause`
struct DeliveriesPauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Send nothing to a destination until it is resumed.",
        discussion: """
            Events wait in the store meanwhile. A restart does not resume.

            Example: ipnd deliveries pause shop
            """)

    @OptionGroup var server: ServerOptions
    @Argument(help: "The destination.") var name: String

    func run() throws {
        try DestinationOperation.run("pause", name, server)
    }
}

/// `ipnd deliveries resume`
struct DeliveriesResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Send to a paused destination again.",
        discussion: """
            Also ends the pause of a destination that failed or answered 410.

            Example: ipnd deliveries resume shop
            """)

    @OptionGroup var server: ServerOptions
    @Argument(help: "The destination.") var name: String

    func run() throws {
        try DestinationOperation.run("resume", name, server)
    }
}

/// `ipnd deliveries test`
struct DeliveriesTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send a signed example to a destination.",
        discussion: """
            The message has the type `test`. Exit status 0 if the answer is 2xx, otherwise 1.

            Example: ipnd deliveries test shop
            """)

    @OptionGroup var server: ServerOptions
    @Argument(help: "The destination.") var name: String

    func run() throws {
        let answer: DeliveryTestAnswer = try AdminConnection(server).post(
            "/destinations/\(PercentEncoding.encode(Array(name.utf8)))/test")
        let outcome = answer.outcome
        var line = "\(name): \(outcome.reason) in \(outcome.latencyMicroseconds / 1000) ms"
        if let status = outcome.status { line += ", status \(status)" }
        if let detail = outcome.detail { line += ": \(detail)" }
        StandardOutput.print(line)
        let text = DeliveriesListCommand.oneLine(outcome.answer)
        if !text.isEmpty { StandardOutput.print("answer: \(text)") }
        guard answer.delivered else { throw ExitCode(EXIT_FAILURE) }
    }
}

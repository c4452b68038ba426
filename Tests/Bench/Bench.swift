import ArgumentParser

/// `ipnd-bench`: commands that the benchmarks, the attacks and the tests use, and that are not part
/// of the product.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ipnd-bench",
        abstract: "Echo requests, sign loads and record histories, to measure ipnd.",
        subcommands: [EchoCommand.self, LoadCommand.self, FillCommand.self])
}

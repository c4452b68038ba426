import ArgumentParser
import Console
import Platform

/// Options of output for people.
struct TerminalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use colours: auto, always or never. auto: on a terminal, unless NO_COLOR is set.",
            valueName: "when"))
    var color = Terminal.ColorChoice.auto

    /// Standard output.
    var terminal: Terminal { Terminal(color: color, now: SystemClock().coarseWallSeconds) }
}

extension Terminal.ColorChoice: ExpressibleByArgument {}

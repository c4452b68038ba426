import ArgumentParser
import Configuration
import Console
import Glibc
import Platform

/// `ipnd check --config FILE`
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration and show what would run.",
        discussion: """
            Reads everything that the configuration refers to, and checks the journal's directory \
            and the certificates. Starts nothing and writes nothing. Exit status 0, or 78 if the \
            server would not start.
            """)

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var display: TerminalOptions

    /// Columns of the report's names.
    private static let nameWidth = 15

    func run() throws {
        let terminal = display.terminal
        do throws(ConfigurationError) {
            let check = ConfigurationCheck(try Configuration.load(file: file.config))
            show(check.findings)
            for line in check.report.split(separator: "\n") {
                StandardOutput.print(terminal.named(String(line), nameWidth: Self.nameWidth))
            }
            if check.passes { return }
        } catch {
            show(error.mistakes + error.warnings)
            if let untold = error.untold { StandardError.print(untold) }
            let count = error.mistakeCount
            StandardError.print(counted(count, "mistake"))
        }
        throw ExitCode(ConfigurationError.exitStatus)
    }

    /// Prints findings. The position is not wrapped, so that an editor can jump to it.
    private func show(_ findings: [Finding]) {
        let terminal = Terminal(
            descriptor: STDERR_FILENO, color: display.color, now: SystemClock().coarseWallSeconds)
        for finding in findings {
            let text = terminal.wrapped("\(finding)", indent: 2)
            let rest = text.dropFirst(finding.place.count)
            let word = finding.severity.rawValue
            StandardError.print(
                terminal.bold(finding.place)
                    + rest.replacing(": \(word):", with: ": \(terminal.colored(word, as: word)):"))
        }
    }
}

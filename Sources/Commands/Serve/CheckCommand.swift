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
        let printer = FindingPrinter(display)
        do throws(ConfigurationError) {
            let check = ConfigurationCheck(try Configuration.load(file: file.config))
            printer.print(check.findings)
            for line in check.report.split(separator: "\n") {
                StandardOutput.print(terminal.named(String(line), nameWidth: Self.nameWidth))
            }
            if check.passes { return }
        } catch {
            printer.print(error.mistakes + error.warnings)
            if let omission = error.omission { StandardError.print(omission) }
            let count = error.mistakeCount
            StandardError.print(counted(count, "mistake"))
        }
        throw ExitCode(ConfigurationError.exitStatus)
    }
}

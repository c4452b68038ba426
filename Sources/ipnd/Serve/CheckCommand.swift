import ArgumentParser
import Configuration

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

    func run() throws {
        do throws(ConfigurationError) {
            let check = ConfigurationCheck(try Configuration.load(file: file.config))
            for finding in check.findings { StandardError.print("\(finding)") }
            StandardOutput.print(check.report)
            if check.passes { return }
        } catch {
            StandardError.print("\(error)")
            let count = error.mistakeCount
            StandardError.print(counted(count, "mistake"))
        }
        throw ExitCode(ConfigurationError.exitStatus)
    }
}

import ArgumentParser
import Configuration

/// `ipnd check --config FILE`
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says what is wrong with a configuration, or prints what would run.",
        discussion: """
            Reads everything that the configuration refers to, and looks at the journal's \
            directory and the certificates; starts and writes nothing. Exit status 0, or 78 when \
            a server would not start.
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
            StandardError.print(count == 1 ? "1 mistake" : "\(count) mistakes")
        }
        throw ExitCode(ConfigurationError.exitStatus)
    }
}

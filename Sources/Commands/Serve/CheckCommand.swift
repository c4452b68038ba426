import ArgumentParser
import Console
import Glibc
import JournalStore
import Platform
import ServerConfiguration

/// `ipnd check --config FILE`
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration and show what would run.",
        discussion: """
            Reads everything that the configuration refers to, and checks the journal, the folders \
            and the certificates. Root checks the folders with the rights of the unit \
            ipnd.service's user. Starts nothing and writes nothing. Exit status 0, or 78 if the \
            server would not start.

            Example: ipnd check --config /etc/ipnd/ipnd.yaml
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Check the folders with the rights of this user (as root only).", valueName: "user"))
    var user: String?
    @OptionGroup var display: TerminalOptions

    /// Columns of the report's names.
    private static let nameWidth = 15

    func run() throws {
        let serviceUser = try serviceUser()
        let terminal = display.terminal
        let printer = FindingPrinter(display)
        do throws(ConfigurationError) {
            let configuration = try Configuration.load(file: file.config)
            let check = ConfigurationCheck(
                configuration, as: serviceUser,
                others: PriorUse.findings(configuration) + SealedJournal.findings(configuration)
                    + EarlierRecords.findings(configuration))
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

    /// The user of `--as`; without it, for root, that of the unit.
    private func serviceUser() throws -> ServiceUser? {
        guard let name = user else {
            return geteuid() == 0 ? ServiceUser.ofUnit(serving: file.config) : nil
        }
        guard let user = ServiceUser(named: name) else {
            throw ValidationError("--as: there is no user “\(name)”")
        }
        guard user.canBeTaken else {
            throw ValidationError("--as: only root may check with another user's rights")
        }
        return user
    }
}

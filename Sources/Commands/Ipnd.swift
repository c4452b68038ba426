import ArgumentParser
import Console
import Glibc
import Platform
import ServerConfiguration

/// The root command. Each command has its own file.
struct Ipnd: AsyncParsableCommand {
    /// The version of this tree (.github/CONTRIBUTING.md, "Releases").
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "ipnd",
        abstract:
            "Receive payment notifications: verify, de-duplicate, store durably, acknowledge.",
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Set-up",
                subcommands: [
                    InitCommand.self, AddCommand.self, CheckCommand.self, ServeCommand.self,
                ]),
            CommandGroup(
                name: "Sandbox",
                subcommands: [
                    SendCommand.self, SimulateCommand.self, ReplayCommand.self, ReceiveCommand.self,
                    ListenCommand.self,
                ]),
            CommandGroup(
                name: "Inspection",
                subcommands: [
                    StatusCommand.self, OrdersCommand.self, EventsCommand.self,
                    RejectionsCommand.self, ExplainCommand.self, AuditCommand.self,
                ]),
            CommandGroup(
                name: "Order and delivery",
                subcommands: [
                    InquireCommand.self, BackfillCommand.self, ReconcileCommand.self,
                    ResolveCommand.self,
                    CorrectCommand.self, SplitCommand.self, EraseCommand.self,
                    DeliveriesCommand.self,
                    AlertsCommand.self,
                ]),
            CommandGroup(
                name: "Storage",
                subcommands: [
                    BackupCommand.self, RestoreCommand.self, JournalCommand.self,
                    DatabaseCommand.self,
                ]),
            CommandGroup(
                name: "Provider",
                subcommands: [RecipeCommand.self, VectorsCommand.self]),
        ])
}

/// The program `ipnd`: parses the command line and runs the command.
package enum Program {
    /// Runs the program; ends the process. No thread of Swift's pool is started for it:
    /// ``WorkerPool`` says why.
    package static func main() -> Never {
        Task(executorPreference: WorkerPool.shared) {
            await run()
            exit(EXIT_SUCCESS)
        }
        while true { pause() }
    }

    package static func run() async {
        StandardOutput.keepDescriptors()
        StandardOutput.checkAtExit()
        if let complaint = UnknownCommand.find(in: Array(CommandLine.arguments.dropFirst())) {
            StandardError.print("\(complaint)")
            Ipnd.exit(withError: ExitCode(EX_USAGE))
        }
        var command: any ParsableCommand
        do { command = try Ipnd.parseAsRoot() } catch { Ipnd.exit(withError: error) }
        do {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as ValidationError {
            // The parser would print the usage of `ipnd`, not of the command.
            let names = Ipnd.names(of: type(of: command)) ?? []
            StandardError.print("\((["ipnd"] + names).joined(separator: " ")): \(error.message)")
            Ipnd.exit(withError: ExitCode(EX_USAGE))
        } catch {
            Ipnd.exit(withError: error)
        }
    }
}

extension ParsableCommand {
    /// The names of a command below this one, such as `deliveries retry`.
    fileprivate static func names(of command: any ParsableCommand.Type) -> [String]? {
        for sub in configuration.subcommands {
            let name = sub.configuration.commandName.map { [$0] } ?? []
            if sub == command { return name }
            if let rest = sub.names(of: command) { return name + rest }
        }
        return nil
    }
}

/// The `--config` option that the commands share.
package struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .long, help: "The configuration file.",
        completion: .file(extensions: ["yaml", "yml"]))
    package var config = ConfigurationFile.usual()

    package init() {}

    /// Loads the file. Prints every mistake to standard error and ends with 78 (EX_CONFIG).
    package func load() throws -> Configuration {
        do {
            return try Configuration.load(file: config)
        } catch {
            StandardError.print("\(error)")
            throw ExitCode(EX_CONFIG)
        }
    }
}

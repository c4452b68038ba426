import ArgumentParser

/// The command line: one file a command.
struct Ipnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ipnd",
        abstract: "Receives payment notifications: verified, de-duplicated, durable, acknowledged.",
        subcommands: [
            InitCommand.self, CheckCommand.self, ServeCommand.self, SendCommand.self,
            ReplayCommand.self, ExplainCommand.self, OrdersCommand.self, EventsCommand.self,
            RejectionsCommand.self, JournalCommand.self, BackupCommand.self, RestoreCommand.self,
            EchoCommand.self, LoadCommand.self,
            FillCommand.self,
        ])
}

@main
enum Program {
    static func main() async {
        StandardOutput.keepDescriptors()
        StandardOutput.checkAtExit()
        await Ipnd.main()
    }
}

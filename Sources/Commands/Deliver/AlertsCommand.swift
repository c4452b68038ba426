import Alerts
import ArgumentParser
import Console
import Glibc
import Payments
import Platform
import ServerConfiguration
import WebClient

/// `ipnd alerts`
struct AlertsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts",
        abstract: "Show what people were alerted of, or send them a test.",
        subcommands: [AlertsListCommand.self, AlertsTestCommand.self],
        defaultSubcommand: AlertsListCommand.self)
}

/// `ipnd alerts list`
struct AlertsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the alerts that last, and messages that were not sent yet.",
        discussion: "Example: ipnd alerts list")

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var display: TerminalOptions

    func run() throws {
        let alerts = try file.load().requiredAlerts("list")
        let book = AlertFile.read(alerts.directory) ?? AlertBook()
        if book.reported.isEmpty {
            StandardOutput.print("Nothing is reported.")
        } else {
            var table = TextTable([("since", .time), ("kind", .left), ("alert", .left)])
            for (cause, since) in book.reported {
                let time = Timestamp(microseconds: Int64(since) * 1_000_000)
                table.add([time.rfc3339, cause.kind.rawValue, cause.summary])
            }
            table.print(on: display.terminal)
        }
        if !book.outgoing.isEmpty {
            StandardOutput.print("\(counted(book.outgoing.count, "message")) not sent yet")
        }
    }
}

/// `ipnd alerts test`
struct AlertsTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send an example by each configured way, at once.",
        discussion: """
            Needs no running server. Exit status 1 if a way fails.

            Example: ipnd alerts test
            """)

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let alerts = try file.load().requiredAlerts("test")
        signal(SIGPIPE, SIG_IGN)
        let clock = SystemClock()
        let client = WebClient(idleConnectionsMax: 1)
        defer { client.close() }
        let seconds = clock.coarseWallSeconds
        let message = AlertMessage.example(
            id: "alert_test_\(seconds)", time: seconds, pages: alerts.settings.pages)
        var hasFailed = false
        for channel in alerts.channels(client, clock) {
            let problem = await channel.send(message)
            StandardOutput.print("\(channel.name): \(problem ?? "sent")")
            hasFailed = hasFailed || problem != nil
        }
        if hasFailed { throw ExitCode.failure }
    }
}

extension Configuration {
    /// Throws an exit status after printing that there are no alerts.
    fileprivate func requiredAlerts(_ command: String) throws -> AlertsConfiguration {
        if let alerts { return alerts }
        StandardError.print(
            "ipnd alerts \(command): \(file) has no `alerts:`; see config/README.md, Alerts")
        throw ExitCode(EX_CONFIG)
    }
}

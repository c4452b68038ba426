import ArgumentParser
import Console
import Glibc
import Journal
import JournalStore
import Platform
import ServerConfiguration

import struct Payments.Timestamp

/// `ipnd journal reread DIR`
struct JournalRereadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reread",
        abstract: "List records that the current rules interpret differently.",
        discussion: """
            Interprets each notification again from the bytes in its record. --apply appends a \
            correction for each one that is interpreted differently: a new record that \
            names the sequence it corrects and replaces it from then on. Nothing is changed or \
            deleted, the event feed shows each correction, and applying twice changes nothing. \
            Stop the server before you apply.

            Exit status 0: every record could be reinterpreted. 1: some could not, because their \
            endpoint or key is no longer configured. 72: the journal is locked or damaged.

            Example: ipnd journal reread /var/lib/ipnd/journal --config /etc/ipnd/ipnd.yaml
            """)

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @Option(help: "The configuration with the endpoints and keys.", completion: .file())
    var config: String
    @Flag(help: "Append a correction for each record that is interpreted differently.") var apply =
        false

    func run() throws {
        var option = ConfigurationOption()
        option.config = config
        let configuration = try option.load()
        do {
            let time = Timestamp(microseconds: SystemClock().wallMicroseconds)
            var rereading = Rereading(configuration, at: time)
            let records = RereadJournal(
                directory: directory, masterKeys: configuration.personal.masterKeys)
            try rereading.run(records) { StandardOutput.print($0) }
            try report(rereading, configuration)
        } catch let code as ExitCode {
            throw code
        } catch {
            if case .damaged(let damage) = error as? JournalError, damage.reason == .segmentMissing
            {
                StandardError.print(
                    "ipnd: the journal's oldest segments are missing, and a correction needs every "
                        + "record: restore the deleted segments from a backup")
            }
            throw JournalFailure.exit(error)
        }
    }

    private func report(_ rereading: Rereading, _ configuration: Configuration) throws {
        let count = rereading.corrections.count
        StandardOutput.print(
            "\(counted(rereading.records, "record")), \(count) interpreted differently, "
                + "\(rereading.unread) could not be reinterpreted")
        if apply, count > 0 {
            let appended = try Correction.append(
                rereading.corrections, to: directory, options: JournalStoreOptions(configuration))
            StandardOutput.print("\(counted(appended, "correction")) appended")
        } else if count > 0 {
            StandardOutput.print("use --apply to append a correction for each")
        }
        if rereading.unread > 0 { throw ExitCode(EXIT_FAILURE) }
    }
}

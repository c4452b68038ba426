import ArgumentParser
import Configuration
import Glibc
import Journal
import JournalStore
import Platform

/// `ipnd journal reread DIR`
struct JournalRereadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reread",
        abstract: "Lists the records that today's rules read differently.",
        discussion: """
            Each notification is interpreted again from the bytes that its record keeps. With \
            --apply each one that is read differently gets a correction: a record of its own that \
            names the sequence it corrects, and counts in its place from then on. Nothing is \
            changed or deleted, the feed tells of each correction, and doing it twice changes \
            nothing. Stop the server before you apply.

            Exit status 0 when every record could be read again, 1 when some could not (their \
            endpoint or key is no longer configured), 72 when the journal is locked or damaged.
            """)

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @Option(help: "The configuration with the endpoints and keys.", completion: .file())
    var config: String
    @Flag(help: "Append a correction for each record that is read differently.") var apply = false

    func run() throws {
        var option = ConfigurationOption()
        option.config = config
        let configuration = try option.load()
        do {
            var rereading = Rereading(configuration)
            try rereading.run(directory) { StandardOutput.print($0) }
            try report(rereading, configuration)
        } catch let code as ExitCode {
            throw code
        } catch {
            if case .damaged(let damage) = error as? JournalError, damage.reason == .segmentMissing
            {
                StandardError.print(
                    "ipnd: the journal's beginning is gone, and a correction needs every record: "
                        + "put the deleted segments back from a backup")
            }
            throw JournalFailure.exit(error)
        }
    }

    private func report(_ rereading: Rereading, _ configuration: Configuration) throws {
        let count = rereading.corrections.count
        StandardOutput.print(
            "\(rereading.records) records, \(count) read differently, "
                + "\(rereading.unread) could not be read again")
        if apply, count > 0 {
            let appended = try Correction.append(
                rereading.corrections, to: directory, options: JournalStoreOptions(configuration))
            StandardOutput.print("\(appended) corrections appended")
        } else if count > 0 {
            StandardOutput.print("add --apply to append a correction for each")
        }
        if rereading.unread > 0 { throw ExitCode(EXIT_FAILURE) }
    }
}

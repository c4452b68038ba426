import ArgumentParser
import Console
import Glibc
import Journal
import PostgreSQLStore
import ServerConfiguration

/// `ipnd database export DIR`
struct DatabaseExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Copy the database's records into a journal.",
        discussion: """
            The directory becomes a journal that `ipnd serve` opens with `journal:`: the same \
            identity, sequences, bytes and orders. A snapshot in it keeps the orders of events \
            that retention has dropped. The directory must be empty or hold the beginning of the \
            same record. An interrupted export continues when it is run again. Servers may run \
            meanwhile; the next run exports what they write. Stop them before the last run, and \
            do not serve from the database afterwards.

            Exit status 0: all records were exported. 72: the directory has other contents, is in \
            use or is damaged. 78: the database cannot be used. 69: it is unreachable; try again.

            Example: ipnd database export /var/lib/ipnd/journal --config /etc/ipnd/ipnd.yaml
            """)

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @OptionGroup var file: ConfigurationOption
    @Option(help: "Size of the journal's segments, in MiB.") var segmentMib = 64

    func validate() throws {
        guard (16...4096).contains(segmentMib) else {
            throw ValidationError("--segment-mib must be from 16 to 4096")
        }
    }

    func run() throws {
        let (connection, database) = try DatabaseConnection.open(file)
        let progress = ProgressBar("export")
        do {
            let reader = try PortionReader(connection, schema: database.session.schema)
            let owner = FolderOwner(of: directory)
            let export = JournalExport(reader, to: directory, segmentMiB: segmentMib)
            let outcome = try export.run { progress.show($0, of: $1) }
            progress.finish()
            StandardOutput.print(
                """
                store        \(outcome.store)
                exported     \(counted(outcome.exported, "record"))
                sequences    \(outcome.last < outcome.first
                    ? "none" : "\(outcome.first) to \(outcome.last)")
                complete
                """)
            owner?.adopt()
        } catch let failure as DatabaseFailure {
            progress.finish()
            throw DatabaseConnection.exit(failure)
        } catch {
            progress.finish()
            throw JournalFailure.exit(error)
        }
    }
}

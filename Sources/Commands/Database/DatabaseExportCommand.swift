import ArgumentParser
import Configuration
import Glibc
import Journal
import PostgreSQLStore

/// `ipnd database export DIR`
struct DatabaseExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Bring the database's records into a journal.",
        discussion: """
            The directory becomes a journal that `ipnd serve` opens with `journal:`: the same \
            identity, sequences, bytes and orders. Events that retention has dropped stay known by \
            a snapshot in it. The directory must be empty or hold the beginning of the same \
            record. It can be ended at any time and run again: it goes on where it was. Servers \
            may go on meanwhile; what they write later is exported by the next run. Stop them \
            before the last one, and never serve from the database again afterwards.

            Exit status 0: all that is there was exported. 72: the directory holds something \
            else, is in use or is damaged. 78: the database cannot be used. 69: it is away; try \
            again.
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
        let (connection, database) = try DatabaseSession.open(file)
        let progress = ProgressBar("export")
        do {
            let reader = try PortionReader(connection, schema: database.session.schema)
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
        } catch let failure as DatabaseFailure {
            progress.finish()
            throw DatabaseSession.exit(failure)
        } catch {
            progress.finish()
            throw JournalFailure.exit(error)
        }
    }
}

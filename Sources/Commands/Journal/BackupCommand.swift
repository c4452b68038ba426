import ArgumentParser
import Console
import Journal

/// `ipnd backup DIR --to DEST`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy a journal, even while a server writes to it.",
        discussion: """
            The backup is a journal directory: `ipnd journal verify` and `cat` can read it. \
            Complete segments are copied once, the last one each time, and every copy is verified. \
            Records that retention removes from the journal stay in the backup. The keys of sealed \
            records are copied, too; with --without-keys, keep the file `keys` of the journal \
            elsewhere: what is erased later is then erased in every backup.

            Exit status 72: refused, because the backup is newer, belongs to another journal, or \
            the journal is damaged. 66: there is no journal.

            Example: ipnd backup /var/lib/ipnd/journal --to /mnt/backup/ipnd
            """)

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @Option(help: "The backup directory, on another disk.", completion: .directory)
    var to: String
    @Flag(help: "Leave out the keys of sealed records.") var withoutKeys = false

    func run() throws {
        do throws(JournalError) {
            let report = try JournalBackup(of: directory, to: to, copiesKeys: !withoutKeys).run()
            StandardOutput.print(
                """
                store        \(report.store)
                segments     \(report.segmentsCopied) copied, \(report.segmentsKept) there already
                sequences    up to \(report.lastSequence)
                verified
                """)
            switch report.keys {
            case .notNeeded: break
            case .copied: StandardOutput.print("keys         copied, wrapped by the master key")
            case .missing:
                StandardOutput.print(
                    "keys         left out: \(directory)/keys is needed to restore")
            }
        } catch {
            throw JournalFailure.exit(error)
        }
    }
}

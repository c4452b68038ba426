import ArgumentParser
import Console
import Journal

/// `ipnd restore BACKUP --to DIR`
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a journal from a backup.",
        discussion: """
            The backup is verified and copied into a directory that contains no journal, and every \
            copy is verified. If the lost journal was longer than the backup, `ipnd serve` refuses \
            to start and reports how many records are missing; `ipnd serve --new-journal` accepts \
            that. As root, the journal gets the owner of its folder.

            Exit status 72: the backup is damaged or the directory is not empty. 66: there is no \
            backup.

            Example: ipnd restore /mnt/backup/ipnd --to /var/lib/ipnd/journal
            """)

    @Argument(help: "The backup's directory.", completion: .directory) var backup: String
    @Option(help: "The journal's directory.", completion: .directory) var to: String

    func run() throws {
        let owner = FolderOwner(of: to)
        do throws(JournalError) {
            let (note, verification) = try JournalRestore(of: backup, to: to).run()
            StandardOutput.print(
                """
                store        \(note.store)
                segments     \(verification.segments)
                sequences    up to \(verification.span?.upperBound ?? 0)
                restored
                """)
            owner?.adopt()
        } catch {
            throw JournalFailure.exit(error)
        }
    }
}

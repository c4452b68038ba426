import ArgumentParser
import Journal

/// `ipnd restore BACKUP --to DIR`
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Makes a journal of a backup.",
        discussion: """
            The backup is verified, copied into a directory that holds no journal, and each copy is \
            read again. Where the journal that was lost went further than the backup, `ipnd serve` \
            refuses to start and says how many records are missing; `ipnd serve --new-journal` \
            accepts that. Exit status 72 says that the backup is damaged or that the directory is \
            not empty, 66 that there is no backup.
            """)

    @Argument(help: "The backup's directory.", completion: .directory) var backup: String
    @Option(help: "The journal's directory.", completion: .directory) var to: String

    func run() throws {
        do throws(JournalError) {
            let (note, verification) = try JournalRestore(of: backup, to: to).run()
            StandardOutput.print(
                """
                store        \(note.store)
                segments     \(verification.segments)
                sequences    up to \(verification.span?.upperBound ?? 0)
                restored
                """)
        } catch {
            throw JournalFailure.exit(error)
        }
    }
}

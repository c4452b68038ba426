import ArgumentParser
import Journal

/// `ipnd backup DIR --to DEST`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies a journal, also while a server writes it.",
        discussion: """
            The backup is a journal directory itself: `ipnd journal verify` and `cat` read it. \
            Segments that are complete are copied once, the last one each time; each copy is read \
            again. Records that retention takes from the journal stay in the backup. Exit status 72 \
            says that it was refused: the backup is newer, or of another journal, or the journal is \
            damaged; 66 that there is no journal.
            """)

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @Option(help: "The backup's directory, on another disk.", completion: .directory)
    var to: String

    func run() throws {
        do throws(JournalError) {
            let report = try JournalBackup(of: directory, to: to).run()
            StandardOutput.print(
                """
                store        \(report.store)
                segments     \(report.segmentsCopied) copied, \(report.segmentsKept) there already
                sequences    up to \(report.lastSequence)
                verified
                """)
        } catch {
            throw JournalFailure.exit(error)
        }
    }
}

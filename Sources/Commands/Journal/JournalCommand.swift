import ArgumentParser
import Console
import Glibc
import Journal

/// `ipnd journal …`: commands that read and check a journal, also while a server runs.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Read, verify and measure a journal directory.",
        subcommands: [
            JournalCatCommand.self, JournalVerifyCommand.self, JournalStatCommand.self,
            JournalRereadCommand.self,
        ])
}

/// Failures of the journal commands: a message on standard error, and exit status 72 (EX_OSFILE) if
/// the journal is corrupt or unreadable, 66 (EX_NOINPUT) if there is none.
enum JournalFailure {
    static func exit(_ error: any Error) -> ExitCode {
        StandardError.print("ipnd: \(error)")
        if case .absent? = error as? JournalError { return ExitCode(EX_NOINPUT) }
        return ExitCode(EX_OSFILE)
    }
}

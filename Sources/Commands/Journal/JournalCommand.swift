import ArgumentParser
import Glibc
import Journal

/// `ipnd journal …`: reading, checking and measuring a journal, also beside a running server.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Read, verify and measure a journal directory.",
        subcommands: [
            JournalCatCommand.self, JournalVerifyCommand.self, JournalStatCommand.self,
            JournalRereadCommand.self,
        ])
}

/// How the journal commands fail: what is wrong on standard error, and 72 (EX_OSFILE) where the
/// journal is corrupt or cannot be read, 66 (EX_NOINPUT) where there is none.
enum JournalFailure {
    static func exit(_ error: any Error) -> ExitCode {
        StandardError.print("ipnd: \(error)")
        if case .absent? = error as? JournalError { return ExitCode(EX_NOINPUT) }
        return ExitCode(EX_OSFILE)
    }
}

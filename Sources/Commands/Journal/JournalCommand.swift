import ArgumentParser
import Console
import Glibc
import Journal
import Platform
import SystemPackage

/// `ipnd journal …`: commands that read and check a journal, also while a server runs.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Read, verify and measure a journal directory.",
        subcommands: [
            JournalCatCommand.self, JournalVerifyCommand.self, JournalStatCommand.self,
            JournalRereadCommand.self, JournalSealCommand.self, JournalUnsealCommand.self,
        ])
}

/// Failures of the journal commands: a message on standard error, and exit status 72 (EX_OSFILE) if
/// the journal is corrupt or unreadable, 66 (EX_NOINPUT) if there is none.
enum JournalFailure {
    static func exit(_ error: any Error) -> ExitCode {
        StandardError.print("ipnd: \(sentence(error))")
        if case .keys? = error as? JournalError { return ExitCode(EX_CONFIG) }
        return ExitCode(isAbsence(error) ? EX_NOINPUT : EX_OSFILE)
    }

    /// The error, with the process that uses the journal.
    static func sentence(_ error: any Error) -> String {
        switch error as? JournalError {
        case .locked(let directory)?:
            guard let process = ProcessSearch.locking(directory) else { return "\(error)" }
            return "\(directory) is in use by \(process)"
        case .unusable(_, let path, .noSuchFileOrDirectory)?: return "\(path) does not exist"
        default: return "\(error)"
        }
    }

    private static func isAbsence(_ error: any Error) -> Bool {
        switch error as? JournalError {
        case .absent?, .unusable(operation: "list", _, .noSuchFileOrDirectory)?: true
        default: false
        }
    }
}

/// A file with a chain head that was saved earlier.
enum AnchorFile {
    /// Reads the chain head. Ends with status 65 (EX_DATAERR) if the file has none.
    static func read(_ path: String) throws -> ChainValue {
        let contents = try? FileContents(path: path, bytesMax: 65_536, allowsPipes: true)
        let text = contents.map { String(decoding: $0.bytes, as: UTF8.self) }
        guard let text, let value = ChainValue(hexadecimal: firstWord(text))
        else {
            StandardError.print("ipnd: \(path): contains no chain head (64 hex digits)")
            throw ExitCode(EX_DATAERR)
        }
        return value
    }

    /// The digits, from a whole line of `stat`'s output or alone.
    private static func firstWord(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace)
        return String(words.first { $0.utf8.count == 64 } ?? "")
    }
}

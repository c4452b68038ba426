import SystemPackage

/// The errors of a journal.
package enum JournalError: Error, Sendable, Equatable {
    /// Another process has locked the directory.
    case locked(directory: String)
    /// The name no longer leads to what is locked: the directory or the open segment was moved,
    /// replaced or removed. Every later call throws the same error, and the process must end,
    /// because its writes go to files that no reader finds, or into another process's files.
    case displaced(path: String, detail: String)
    /// It is not the journal that was used here before, or its end is missing.
    case priorUse(String)
    /// A backup or a restore would lose records, or would mix two journals.
    case copyRefused(String)
    /// The directory holds no journal.
    case absent(directory: String)
    /// The journal cannot be trusted. Nothing was changed.
    case damaged(Damage)
    /// A file could not be read, listed, created or synced while opening or reading.
    case unusable(operation: String, path: String, Errno)
    /// A frame could not be written or synced, or the segment lost its name. The content of the
    /// disk is unknown, and after a failed sync the kernel has marked the pages clean, so a second
    /// sync would report a false success. The process must end without acknowledging anything more.
    /// Every later call throws the same error.
    case fatal(operation: String, path: String, Errno)
    /// There is no room for the next segment. Nothing was written and the frame's records are
    /// discarded; later commits try again.
    case noSpace(Errno)
    /// The next segment could not be created for another reason, such as a read-only or missing
    /// directory. As `noSpace` otherwise.
    case needsSegment(Errno)
    /// The record is longer than `recordBytesMax`. It was not appended.
    case recordTooLong(bytes: Int)
    /// The frame has no room for a record of maximum length: commit first.
    case frameFull
    /// The `replay` or `restore` callback refused a record.
    case refused(file: String, offset: Int, sequence: UInt64, detail: String)
    /// The keys of its records are missing or cannot be used. Nothing was changed.
    case keys(reason: String, detail: String)
    /// The options contradict each other.
    case options(String)
    /// The writer was closed.
    case closed

    /// The code for logs and metrics.
    package var reason: String {
        switch self {
        case .locked: "journal_locked"
        case .displaced: "journal_displaced"
        case .priorUse: "journal_prior_use"
        case .copyRefused: "journal_copy_refused"
        case .absent: "journal_absent"
        case .damaged(let damage): damage.reason.rawValue
        case .unusable: "journal_unusable"
        case .fatal: "journal_fatal"
        case .noSpace: "journal_no_space"
        case .needsSegment: "journal_needs_segment"
        case .recordTooLong: "journal_record_too_long"
        case .frameFull: "journal_frame_full"
        case .refused: "journal_record_refused"
        case .keys(let reason, _): reason
        case .options: "journal_options"
        case .closed: "journal_closed"
        }
    }
}

extension JournalError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .locked(let directory):
            "\(directory) is in use by another process"
        case .displaced(let path, let detail):
            "\(path): \(detail); nothing more is acknowledged. Put it back, then start again"
        case .priorUse(let detail), .copyRefused(let detail):
            detail
        case .absent(let directory):
            "\(directory) holds no journal"
        case .damaged(let damage):
            damage.description
        case .unusable(let operation, let path, let error):
            "\(operation) \(path): \(error)"
        case .fatal(let operation, let path, let error):
            "\(operation) \(path): \(error); the records being stored are not acknowledged"
        case .noSpace(let error):
            "no room for the next segment: \(error)"
        case .needsSegment(let error):
            "the next segment cannot be created: \(error)"
        case .recordTooLong(let bytes):
            "a record of \(bytes) bytes is too long"
        case .frameFull:
            "the frame is full"
        case .refused(let file, let offset, let sequence, let detail):
            "\(file): record \(sequence) in the frame at byte \(offset): \(detail)"
        case .keys(_, let detail):
            detail
        case .options(let mistake):
            mistake
        case .closed:
            "the journal is closed"
        }
    }
}

extension JournalError {
    /// Runs `call`; its `Errno` becomes `unusable`, with the operation and the path.
    static func naming<Value>(
        _ operation: String, _ path: String, _ call: () throws(Errno) -> Value
    ) throws(JournalError) -> Value {
        do { return try call() } catch {
            throw .unusable(operation: operation, path: path, error)
        }
    }

    /// The error for a next segment that could not be created.
    static func lacking(_ error: Errno) -> JournalError {
        error.isLackOfSpace ? .noSpace(error) : .needsSegment(error)
    }
}

extension Errno {
    /// Whether the error is ENOSPC or EDQUOT.
    var isLackOfSpace: Bool { self == .noSpace || self == .diskQuotaExceeded }
}

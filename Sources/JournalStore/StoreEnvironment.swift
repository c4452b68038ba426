import Glibc
import Journal
import Payments
import Platform

/// The store's connections to its process. Tests replace them.
package struct StoreEnvironment: Sendable {
    /// Ends the process after an error that leaves the disk's content unknown. Where it returns, as
    /// in tests, the store refuses everything from then on.
    package var fatal: @Sendable (JournalError) -> Void = StoreEnvironment.abort
    /// Logs a harmless failure, such as a snapshot that could not be written, in one line.
    package var warn: @Sendable (String) -> Void = StoreEnvironment.standardError
    /// The clock of the committer's duties and waits.
    package var clock: any Clock = SystemClock()
    /// Called when much memory was freed at once: after every snapshot, on its thread.
    package var giveMemoryBack: @Sendable () -> Void = {}
    /// Set by tests and by builds with planted defects only (`scripts/planted-defects`).
    package var plantedDefect: PlantedDefect?

    package init() {}

    /// The wall clock.
    var now: Timestamp { Timestamp(microseconds: clock.wallMicroseconds) }

    /// Writes one line to standard error, then calls abort(3): exit status 134 for a shell, and a
    /// core dump where enabled. Nothing is flushed or closed, because nothing may be acknowledged
    /// any more. A restart does not fix a journal that was moved away: exit status 72 (EX_OSFILE),
    /// as at a start that finds it so.
    package static let abort: @Sendable (JournalError) -> Void = { error in
        standardError("\(error.reason): \(error)")
        if case .displaced = error { _exit(EX_OSFILE) }
        Glibc.abort()
    }

    private static let standardError: @Sendable (String) -> Void = { text in
        let line = Array("ipnd: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}

/// Defects that are planted on purpose, to show that the checks catch them. Only tests set one, and
/// builds with planted defects (`scripts/planted-defects`).
package enum PlantedDefect: String, Sendable, CaseIterable {
    /// Answers before the batch is written and synced.
    case answersBeforeSync
    /// Answers the duplicate of an event in the same batch at once, as if that event were durable.
    case treatsPendingAsDurable
    /// Commits after each event of a request that reports several.
    case splitsRequests
    /// Destroys keys before the record that says so is durable.
    case destroysKeysEarly
    /// Leaves out of snapshots that records were erased.
    case forgetsErasures
}

import Glibc
import Journal
import Payments
import Platform

/// What the store asks of the process around it; tests give their own.
package struct StoreEnvironment: Sendable {
    /// Ends the process after an error that leaves unknown what the disk holds. Where it returns,
    /// as in tests, the store refuses everything from then on.
    package var fatal: @Sendable (JournalError) -> Void = StoreEnvironment.abort
    /// Says what went wrong without harm (a snapshot that could not be written), in one line.
    package var warn: @Sendable (String) -> Void = StoreEnvironment.standardError
    /// Whose time the committer's duties and waits are.
    package var clock: any Clock = SystemClock()
    /// Called when much memory was freed at once: behind every snapshot, on its thread.
    package var giveMemoryBack: @Sendable () -> Void = {}
    /// Set by tests and by builds with planted defects only (`scripts/planted-defects`).
    package var plantedDefect: PlantedDefect?

    package init() {}

    /// The wall clock.
    var now: Timestamp { Timestamp(microseconds: clock.wallMicroseconds) }

    /// One line to standard error, then abort(3): exit status 134 for a shell, and a core where
    /// cores are kept. Nothing is flushed or closed on the way, for nothing may be acknowledged any
    /// more. A journal that was moved away is nothing that a restart fixes: exit status 72
    /// (EX_OSFILE), as at a start that finds it so.
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

/// Mistakes that a test plants on purpose, to show that the checks would catch them (issue "A
/// journal that survives the power cord"). Only tests set one, and builds with planted defects
/// (`scripts/planted-defects`).
package enum PlantedDefect: String, Sendable, CaseIterable {
    /// Answers before the batch is written and synced.
    case answersBeforeSync
    /// Answers the duplicate of an event that is in this same batch at once, as if that one
    /// were durable.
    case treatsPendingAsDurable
}

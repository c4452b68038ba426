import PostgreSQL
import Synchronization

/// A mistake that is planted between a store and its connections, to show that the checks would
/// notice it: used by tests, and by builds with planted defects (`scripts/planted-defects`).
package enum DatabaseDefect: String, Sendable, CaseIterable {
    /// Answers before the batch is committed: the COMMIT is sent with the next message.
    case answersBeforeCommit = "db-answer-before-commit"
    /// Treats a COMMIT with a warning as successful.
    case ignoresWarnings = "db-ignore-commit-warning"
    /// Answers duplicates from visible rows, without a commit after the read.
    case duplicatesWithoutCommit = "db-duplicates-without-commit"
    /// Assigns sequences as a serial column does: counted at once, committed with the batch.
    case sequenceFromSerial = "db-sequence-from-serial"
    /// Treats a COMMIT whose answer was lost as failed: runs the batch again without checking
    /// whether its events are known.
    case forgetsLostCommits = "db-forget-lost-commit"
    /// Shows readers rows that no synchronous commit has confirmed.
    case showsUnconfirmed = "db-show-unconfirmed"

    /// Returns the connections of `source` with the mistake.
    package func planted(in source: LinkSource) -> LinkSource {
        let memory = DefectMemory()
        return LinkSource(source.settings) { () throws(PostgresError) in
            DefectiveLink(try source.open(), self, memory)
        }
    }
}

/// The state that a mistake keeps from one connection to the next.
final class DefectMemory: Sendable {
    let lostCommit = Mutex(false)
}

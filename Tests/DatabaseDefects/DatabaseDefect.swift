import PostgreSQL
import Synchronization

/// A mistake that is put between a store and its connections on purpose, to show that the checks
/// would catch it: by tests, and by builds with planted defects (`scripts/planted-defects`).
package enum DatabaseDefect: String, Sendable, CaseIterable {
    /// Answers before the batch is committed: its COMMIT is sent when the next message is.
    case answersBeforeCommit = "db-answer-before-commit"
    /// Takes a COMMIT that came with a warning for a good one.
    case ignoresWarnings = "db-ignore-commit-warning"
    /// Answers duplicates from what is visible, without a commit behind it.
    case duplicatesWithoutCommit = "db-duplicates-without-commit"
    /// Takes sequences as a serial gives them: counted at once, committed when the batch is.
    case sequenceFromSerial = "db-sequence-from-serial"
    /// Takes a COMMIT whose answer was lost for one that failed, and forgets that it may not have:
    /// runs the batch again without asking whether its events are known.
    case forgetsLostCommits = "db-forget-lost-commit"
    /// Shows readers what no synchronous commit has confirmed.
    case showsUnconfirmed = "db-show-unconfirmed"

    /// The connections of `source`, with the mistake.
    package func planted(in source: LinkSource) -> LinkSource {
        let memory = DefectMemory()
        return LinkSource(source.settings) { () throws(PostgresError) in
            DefectiveLink(try source.open(), self, memory)
        }
    }
}

/// What a mistake keeps from one connection to the next.
final class DefectMemory: Sendable {
    let lostCommit = Mutex(false)
}

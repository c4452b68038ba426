import PostgreSQL
import Synchronization

/// A defect planted between a store and its connections, to show that the checks catch it. Tests
/// and `scripts/planted-defects` use it.
package enum DatabaseDefect: String, Sendable, CaseIterable {
    /// Answers before the batch is committed: its COMMIT is sent with the next message.
    case answersBeforeCommit = "db-answer-before-commit"
    /// Ignores the warning of a COMMIT.
    case ignoresWarnings = "db-ignore-commit-warning"
    /// Answers duplicates from visible rows that may not be committed.
    case duplicatesWithoutCommit = "db-duplicates-without-commit"
    /// Takes sequences from a serial, which advances before the batch is committed.
    case sequenceFromSerial = "db-sequence-from-serial"
    /// Treats a COMMIT whose answer was lost as failed: runs the batch again without checking
    /// whether its events are recorded.
    case forgetsLostCommits = "db-forget-lost-commit"
    /// Shows readers records that no synchronous commit has confirmed.
    case showsUnconfirmed = "db-show-unconfirmed"

    /// The connections of `source`, with the defect.
    package func planted(in source: LinkSource) -> LinkSource {
        let memory = DefectMemory()
        return LinkSource(source.settings) { () throws(PostgresError) in
            DefectiveLink(try source.open(), self, memory)
        }
    }
}

/// State that a defect keeps across connections.
final class DefectMemory: Sendable {
    let lostCommit = Mutex(false)
}

/// The result of a verification of a database.
package struct DatabaseVerification: Sendable, Equatable {
    /// The place and kind of damage in the record.
    package struct Damage: Error, Sendable, Equatable, CustomStringConvertible {
        /// The raw values are the reason codes for logs.
        package enum Reason: String, Sendable {
            /// An event is missing, or is after the end.
            case sequence = "database_sequence"
            /// A record differs from its row.
            case record = "database_record"
            /// Batches and events do not match.
            case batch = "database_batch"
            /// The records of a batch have another hash.
            case chain = "database_chain"
            /// The head row does not match the events and batches.
            case head = "database_head"
        }

        package var reason: Reason
        package var sequence: UInt64
        /// The finding, for people.
        package var detail: String

        package var description: String {
            "the record is damaged at sequence \(sequence): \(detail) (\(reason.rawValue))"
        }
    }

    package var partitions = 0
    /// The records up to this one are gone: retention has dropped them, or the imported journal did
    /// not have them. 0 if all exist.
    package var droppedThrough: UInt64 = 0
    package var batches: UInt64 = 0
    package var records: UInt64 = 0
    /// The sequences of the first and the last record; nil when there is none.
    package var span: ClosedRange<UInt64>?
    /// The hash over all batches; note it elsewhere as an anchor.
    package var chainHead = [UInt8](repeating: 0, count: 32)
    /// The last sequence before the anchor, when one was given and the chain passes through it.
    package var anchorSequence: UInt64?
    /// The first damage. The counts above end before it.
    package var damage: Damage?

    package init() {}
}

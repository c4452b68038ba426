/// The place in a journal that a snapshot covers everything up to.
package struct SnapshotPoint: Sendable, Equatable {
    /// The last sequence that is covered.
    package var sequence: UInt64
    /// The hash of the frame that holds it: a snapshot of another journal does not have it.
    package var chain: ChainValue
}

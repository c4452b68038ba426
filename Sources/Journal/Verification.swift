/// What a verification found.
package struct Verification: Sendable, Equatable {
    package var segments = 0
    package var frames: UInt64 = 0
    package var records: UInt64 = 0
    /// The sequences of the first and the last record; nil when there is none.
    package var span: ClosedRange<UInt64>?
    /// Bytes of headers and frames.
    package var bytes = 0
    /// The hash of the last whole block: note it elsewhere as an anchor.
    package var chainHead = ChainValue.zero
    /// The last sequence before the anchor, when an anchor was given and the chain passes through
    /// it.
    package var anchorSequence: UInt64?
    /// A frame that was not finished at the end of the last segment: a crash, or a writer at work.
    /// Not damage.
    package var torn: RecoveryReport.TornTail?
    /// Snapshots that cannot be used. The journal alone stays the truth.
    package var snapshotsDamaged: [SnapshotDamage] = []
    /// The first damage. What is counted above stands before it.
    package var damage: Damage?

    package init() {}
}

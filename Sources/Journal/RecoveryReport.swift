/// What opening a journal found and did.
package struct RecoveryReport: Sendable, Equatable {
    /// A torn tail that was cut: a frame that the power, or a kill, interrupted, and that was never acknowledged.
    package struct TornTail: Sendable, Equatable {
        package var file: String
        package var offset: Int
        package var bytes: Int
        /// The name of the copy that was kept; nil when there was no room for it.
        package var copy: String?
    }

    /// The segments in the directory, and how many of them were read through.
    package var segments = 0
    package var segmentsScanned = 0
    /// Records handed to `replay`.
    package var records: UInt64 = 0
    /// The last sequence of the snapshot that was started from.
    package var snapshot: UInt64?
    /// Snapshots that were passed over, newest first, each with the reason.
    package var snapshotsRefused: [String] = []
    package var torn: TornTail?

    package init() {}
}

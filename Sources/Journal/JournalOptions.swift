/// The journal's limits. Each is named, unit last.
package struct JournalOptions: Sendable, Equatable {
    /// Size of a new segment, which is preallocated.
    package var segmentBytes = 64 << 20
    /// Maximum size of a record.
    package var recordBytesMax = 4 << 20
    /// Maximum size of a frame: the records of one batch with their lengths, a header and padding.
    /// At most 16 MiB.
    package var frameBytesMax = 8 << 20
    /// Number of bytes that a reader or the recovery reads at once.
    package var windowBytes = 1 << 20
    /// Delay before another attempt to create a segment.
    package var preparationRetrySeconds = 1
    /// Whether a thread prepares the next segment in advance, or it is prepared when it is needed.
    package var preparesInBackground = true
    /// Whether a directory that does not exist is created. Its parent must exist.
    package var createsDirectory = true
    /// Whether an existing journal continues under a new identity, because an operator accepts that
    /// its last records are lost: positions that consumers have kept must not apply to it.
    package var renewsIdentity = false
    /// The identity of a new journal; nil draws one. Used for a record that has an identity already
    /// and is exported into a journal.
    package var identity: StoreIdentity?
    /// The records up to this one need not exist: the caller knows their result and writes a
    /// snapshot that covers them. A new journal begins after it.
    package var assumedThrough: UInt64 = 0

    package init() {}

    /// Size of the first segment of a new journal. The first start waits until its zeros are
    /// written, and later starts read through those that are left: with few records, that is most
    /// of the work of a start.
    var firstSegmentBytes: Int {
        min(segmentBytes, max(Self.firstSegmentBytesMin, 2 * frameBytesMax))
    }
    private static let firstSegmentBytesMin = 16 << 20

    /// The first contradiction in these options, or nil.
    package var mistake: String? {
        let frame = FrameHeader.frameBytes(body: recordBytesMax + Format.recordHeaderBytes)
        if recordBytesMax < 1 { return "recordBytesMax must be at least 1" }
        if frame > frameBytesMax {
            return "frameBytesMax must hold one record of recordBytesMax: at least \(frame)"
        }
        if frameBytesMax > Format.frameBytesCeiling {
            return "frameBytesMax must be at most \(Format.frameBytesCeiling)"
        }
        let segment = Format.segmentHeaderBytes + frameBytesMax + Format.idleMarkerBytes
        if segmentBytes < segment {
            return "segmentBytes must hold one frame of frameBytesMax: at least \(segment)"
        }
        if segmentBytes % Format.sectorBytes != 0 {
            return "segmentBytes must be a multiple of \(Format.sectorBytes)"
        }
        if segmentBytes > 1 << 40 { return "segmentBytes must be at most 1 TiB" }
        if windowBytes < Format.sectorBytes { return "windowBytes must be at least 512" }
        return nil
    }
}

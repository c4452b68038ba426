/// The journal's limits. Each is named, unit last.
package struct JournalOptions: Sendable, Equatable {
    /// Size of a new segment, preallocated.
    package var segmentBytes = 64 << 20
    /// Longest record.
    package var recordBytesMax = 4 << 20
    /// Longest frame: the records of one batch, with their lengths, a header and padding. At most
    /// 16 MiB.
    package var frameBytesMax = 8 << 20
    /// What a reader or the recovery reads at once.
    package var windowBytes = 1 << 20
    /// How soon a segment that could not be made is tried again.
    package var preparationRetrySeconds = 1
    /// Whether a thread prepares the next segment ahead of need. Off, it is prepared when it is
    /// needed.
    package var preparesInBackground = true
    /// Whether a directory that does not exist is created. Its parent must exist.
    package var createsDirectory = true
    /// Whether an existing journal goes on under a new identity, because somebody accepts that its
    /// last records are lost: positions that consumers have kept must not be taken for its own.
    package var renewsIdentity = false
    /// The identity of a journal that is begun; nil makes a new one. For a record that has an
    /// identity already and moves into a journal.
    package var identity: StoreIdentity?
    /// The records up to this one need not be there: whoever opens the journal knows what they come
    /// to, and writes a snapshot that covers them. A journal that is begun begins behind it.
    package var assumedThrough: UInt64 = 0

    package init() {}

    /// Size of the first segment of a new journal. A start waits until its zeros are written, and
    /// later starts read through those that are left: with little recorded, it is most of what a
    /// start does.
    var firstSegmentBytes: Int {
        min(segmentBytes, max(Self.firstSegmentBytesMin, 2 * frameBytesMax))
    }
    private static let firstSegmentBytesMin = 16 << 20

    /// What contradicts itself in these options, or nil.
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

/// The segment that is being written.
struct OpenSegment {
    let path: String
    let file: any StorageFile
    let header: SegmentHeader
    /// Where the next frame goes.
    var offset: Int

    /// Whether a frame of records fits, with room for an idle marker behind it.
    func hasRoom(for frameBytes: Int) -> Bool { offset + frameBytes <= header.recordEnd }
}

import SystemPackage

/// The segment that is being written.
struct OpenSegment {
    let path: String
    let file: any StorageFile
    let header: SegmentHeader
    private let blocks: BlockWriter

    /// A new segment, which begins with its header: written here, not synced.
    init(
        _ file: any StorageFile, path: String, header: SegmentHeader, block: [UInt8]
    ) throws(Errno) {
        self.init(file, path, header)
        let failure: Errno? = block.withUnsafeBytes { bytes in
            do throws(Errno) { try blocks.append(bytes) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// A segment whose next frame goes to `offset`.
    init(
        resuming file: any StorageFile, path: String, header: SegmentHeader, at offset: Int
    ) throws(Errno) {
        self.init(file, path, header)
        try blocks.seek(to: offset)
    }

    private init(_ file: any StorageFile, _ path: String, _ header: SegmentHeader) {
        self.path = path
        self.file = file
        self.header = header
        blocks = BlockWriter(file, fileBytes: header.segmentBytes)
    }

    /// Whether a frame of records fits, with room for an idle marker behind it.
    func hasRoom(for frameBytes: Int) -> Bool { blocks.offset + frameBytes <= header.recordEnd }

    /// Writes a frame behind the last one.
    func append(_ frame: UnsafeRawBufferPointer) throws(Errno) { try blocks.append(frame) }
}

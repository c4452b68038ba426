import SystemPackage

/// The segment that is being written.
struct OpenSegment {
    let path: String
    let file: any StorageFile
    let header: SegmentHeader
    private let blocks: BlockWriter

    /// Begins a new segment by writing its header, without a sync.
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

    /// Resumes a segment whose next frame goes to `offset`.
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

    /// Whether a frame of records fits, with room for an idle marker after it.
    func hasRoom(for frameBytes: Int) -> Bool { blocks.offset + frameBytes <= header.recordEnd }

    /// Writes a frame after the last one.
    func append(_ frame: UnsafeRawBufferPointer) throws(Errno) { try blocks.append(frame) }
}

/// Turns a prepared file into the journal's next segment: header, sync, rename, directory sync.
/// Only then may a frame be written.
struct SegmentStart {
    let directory: String
    let storage: any Storage
    let options: JournalOptions
    let store: StoreIdentity

    struct Begun {
        let segment: OpenSegment
        /// The hash of the header, which the first frame must carry.
        let chain: ChainValue
    }

    /// Throws `noSpace` or `needsSegment` if the file did not become a segment (it is removed), and
    /// `fatal` if its name may or may not be durable.
    func begin(
        _ file: any StorageFile, number: UInt64, firstSequence: UInt64, chain: ChainValue
    ) throws(JournalError) -> Begun {
        let header = SegmentHeader(
            number: number, firstSequence: firstSequence, salt: Salt(bits: storage.randomBits()),
            created: storage.wallMicroseconds(), chain: chain, segmentBytes: options.segmentBytes,
            store: store)
        let block = header.encoded()
        let prepared = directory + "/" + Format.preparedName
        let path = directory + "/" + Format.segmentName(firstSequence: firstSequence)
        let segment: OpenSegment
        do throws(Errno) {
            try file.lock()
            segment = try OpenSegment(file, path: path, header: header, block: block)
            try file.syncContent()
            try storage.rename(prepared, to: path)
        } catch {
            try? storage.unlink(prepared)
            throw .lacking(error)
        }
        do { try storage.fsyncDirectory(directory) } catch {
            throw .fatal(operation: "fsync", path: directory, error)
        }
        return Begun(
            segment: segment,
            chain: block.withUnsafeBytes { ChainValue(hashing: $0) })
    }
}

import SystemPackage

/// A walk through one segment, frame by frame: what the next frame must be, and whether it is.
struct SegmentWalk {
    let header: SegmentHeader
    /// Where the next frame must stand.
    private(set) var offset = Format.segmentHeaderBytes
    /// The sequence that the next record must have.
    private(set) var nextSequence: UInt64
    /// The hash of the last block: what the next frame must carry. Zero when it is not followed.
    private(set) var chain: ChainValue
    /// Whether every block is hashed; hashing is most of the cost of a walk.
    let followsChain: Bool
    /// The last good frame and its place.
    private(set) var last: (offset: Int, header: FrameHeader)?

    /// A good frame where it is in the window; the bytes are valid until the window moves.
    struct Frame {
        let header: FrameHeader
        let offset: Int
        /// The records with their lengths.
        let body: UnsafeRawBufferPointer
        /// The hash of this frame; zero when the chain is not followed.
        let chain: ChainValue
    }

    enum Step {
        case frame(Frame)
        case fault(FrameFault)
    }

    /// Begins behind the header, whose 512 bytes are `block`.
    init(header: SegmentHeader, block: UnsafeRawBufferPointer, followsChain: Bool = true) {
        self.header = header
        self.followsChain = followsChain
        nextSequence = header.firstSequence
        let block = UnsafeRawBufferPointer(rebasing: block[..<Format.segmentHeaderBytes])
        chain = followsChain ? ChainValue(hashing: block) : .zero
    }

    /// Judges what is at `offset`, and goes behind it when it is a good frame. Throws the error
    /// of reading.
    mutating func step(_ window: SegmentWindow, ahead: Int? = nil) throws(Errno) -> Step {
        let room = header.segmentBytes - offset
        var bytes = try window.bytes(
            at: offset, needed: min(room, Format.sectorBytes), ahead: ahead)
        var finding = FrameDecoder.judge(bytes, room: room, salt: header.salt)
        if case .needs(let count) = finding {
            bytes = try window.bytes(at: offset, needed: count, ahead: ahead)
            finding = FrameDecoder.judge(bytes, room: room, salt: header.salt)
        }
        switch finding {
        case .fault(let fault): return .fault(fault)
        case .needs(let count): return .fault(.body(frameBytes: count))
        case .frame(let frame): return accept(frame, bytes)
        }
    }

    private mutating func accept(_ frame: FrameHeader, _ bytes: UnsafeRawBufferPointer) -> Step {
        guard frame.firstSequence == nextSequence else {
            return .fault(.sequence(found: frame.firstSequence, expected: nextSequence))
        }
        guard !followsChain || frame.chain == chain else { return .fault(.chain) }
        let bodyEnd = Format.frameHeaderBytes + frame.bodyBytes
        let block = UnsafeRawBufferPointer(rebasing: bytes[..<frame.frameBytes])
        let hash = followsChain ? ChainValue(hashing: block) : .zero
        let result = Frame(
            header: frame, offset: offset,
            body: UnsafeRawBufferPointer(rebasing: bytes[Format.frameHeaderBytes..<bodyEnd]),
            chain: hash)
        last = (offset, frame)
        chain = hash
        offset += frame.frameBytes
        nextSequence = frame.endSequence
        return .frame(result)
    }
}

/// A piece of a file in memory, moved along as it is read, so that frames are judged and records
/// are handed out where they lie. Read with pread and not mapped: an error of the disk is then an
/// `Errno` and not a SIGBUS.
final class SegmentWindow {
    private var buffer: UnsafeMutableRawBufferPointer
    private var file: (any StorageFile)?
    private var start = 0
    private var count = 0

    init(bytes: Int) {
        buffer = .allocate(byteCount: bytes, alignment: 4096)
    }

    deinit { buffer.deallocate() }

    /// Turns to another file.
    func turn(to file: any StorageFile) {
        self.file = file
        forget()
    }

    /// Forgets what was read, so that the next look sees what was written since.
    func forget() { count = 0 }

    /// The bytes from `offset` to the window's end: at least `needed`, fewer only where the file
    /// ends. They are valid until the next call. What is not in the window yet is read, `ahead`
    /// bytes at once (the window's size if nil).
    func bytes(
        at offset: Int, needed: Int, ahead: Int? = nil
    ) throws(Errno) -> UnsafeRawBufferPointer {
        if offset < start || offset + needed > start + count {
            try load(at: offset, count: max(needed, ahead ?? buffer.count))
        }
        return UnsafeRawBufferPointer(rebasing: buffer[(offset - start)..<count])
    }

    private func load(at offset: Int, count wanted: Int) throws(Errno) {
        count = 0
        if wanted > buffer.count {
            buffer.deallocate()
            buffer = .allocate(byteCount: wanted, alignment: 4096)
        }
        start = offset
        guard let file else { return }
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        count = try file.readAll(into: target, at: offset)
    }
}

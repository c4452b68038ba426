import SystemPackage

/// A walk through one segment, frame by frame, which checks each frame against the expected
/// sequence and chain.
struct SegmentWalk {
    let header: SegmentHeader
    /// The offset of the next frame.
    private(set) var offset = Format.segmentHeaderBytes
    /// The expected sequence of the next record.
    private(set) var nextSequence: UInt64
    /// The hash of the last block, which the next frame must carry. Zero if the chain is not
    /// followed.
    private(set) var chain: ChainValue
    /// Whether every block is hashed; hashing is most of the cost of a walk.
    let followsChain: Bool
    /// The last good frame and its offset.
    private(set) var last: (offset: Int, header: FrameHeader)?

    /// A good frame in the window; its bytes are valid until the window moves.
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

    /// Begins after the header, whose 512 bytes are `block`.
    init(header: SegmentHeader, block: UnsafeRawBufferPointer, followsChain: Bool = true) {
        self.header = header
        self.followsChain = followsChain
        nextSequence = header.firstSequence
        let block = UnsafeRawBufferPointer(rebasing: block[..<Format.segmentHeaderBytes])
        chain = followsChain ? ChainValue(hashing: block) : .zero
    }

    /// Checks the bytes at `offset`, and advances past them if they are a good frame. Throws read
    /// errors.
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

/// A moving part of a file in memory, in which frames are checked and records are returned without
/// a copy. It is read with pread and not mapped, so that a disk error is an `Errno` and not a
/// SIGBUS.
final class SegmentWindow {
    private var buffer: UnsafeMutableRawBufferPointer
    private var file: (any StorageFile)?
    private var start = 0
    private var count = 0

    init(bytes: Int) {
        buffer = .allocate(byteCount: bytes, alignment: 4096)
    }

    deinit { buffer.deallocate() }

    /// Switches to another file.
    func turn(to file: any StorageFile) {
        self.file = file
        forget()
    }

    /// Discards the bytes that were read, so that the next access sees later writes.
    func forget() { count = 0 }

    /// Returns the bytes from `offset` to the window's end: at least `needed`, fewer only at the
    /// end of the file. They are valid until the next call. Missing bytes are read, `ahead` at once
    /// (the window's size if nil).
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

import Cryptography

/// Reads frames from bytes. Pure: what follows from a fault is decided in `TailDecision`.
enum FrameDecoder {
    /// What is where a frame may stand.
    enum Finding: Equatable {
        /// A whole frame; its header.
        case frame(FrameHeader)
        /// The header is whole, but more bytes are needed to judge the body.
        case needs(Int)
        case fault(FrameFault)
    }

    /// Judges the frame at the start of `bytes`, of which a segment has `room` bytes left.
    static func judge(_ bytes: UnsafeRawBufferPointer, room: Int, salt: Salt) -> Finding {
        guard let header = FrameHeader.decode(bytes, salt: salt) else { return .fault(.header) }
        // A sound checksum over impossible numbers cannot come from a crash: the sector was written
        // whole.
        guard header.frameBytes <= min(room, Format.frameBytesCeiling),
            header.count * Format.recordHeaderBytes <= header.bodyBytes,
            header.count > 0 || header.bodyBytes == 0
        else { return .fault(.impossible) }
        guard bytes.count >= header.frameBytes else { return .needs(header.frameBytes) }
        let rest = UnsafeRawBufferPointer(
            rebasing: bytes[Format.frameHeaderBytes..<header.frameBytes])
        guard CRC32C.checksum(rest) == header.bodyChecksum else {
            return .fault(.body(frameBytes: header.frameBytes))
        }
        return .frame(header)
    }

    /// Calls `visit` with every record of a body, in order. Returns false when the lengths do not
    /// add up to `count` records and nothing else; `visit` has then seen the records before the
    /// fault.
    static func forEachRecord(
        of body: UnsafeRawBufferPointer, count: Int,
        _ visit: (_ index: Int, _ record: UnsafeRawBufferPointer) throws -> Void
    ) rethrows -> Bool {
        var offset = 0
        for index in 0..<count {
            guard body.count - offset >= Format.recordHeaderBytes else { return false }
            let length = Int(body.littleEndian(UInt32.self, at: offset))
            offset += Format.recordHeaderBytes
            guard body.count - offset >= length else { return false }
            try visit(index, UnsafeRawBufferPointer(rebasing: body[offset..<offset + length]))
            offset += length
        }
        return offset == body.count
    }
}

/// Why there is no good frame at a place. Zeros fail as `header`.
enum FrameFault: Equatable, Sendable {
    /// No header with this segment's salt.
    case header
    /// The header's checksum holds, its numbers cannot be.
    case impossible
    /// The header holds, the body does not.
    case body(frameBytes: Int)
    /// A whole frame, out of its turn.
    case sequence(found: UInt64, expected: UInt64)
    /// A whole frame, which does not follow the block before it.
    case chain
    /// A whole frame, whose records' lengths do not add up.
    case records
}

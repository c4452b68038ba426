import Cryptography

/// Reads frames from bytes. It is pure: `TailDecision` decides the consequences of a fault.
enum FrameDecoder {
    /// The result of checking one place in a segment.
    enum Finding: Equatable {
        /// A whole frame, with its header.
        case frame(FrameHeader)
        /// The header is whole, but this many bytes are needed to check the body.
        case needs(Int)
        case fault(FrameFault)
    }

    /// Checks the frame at the start of `bytes`, where the segment has `room` bytes left.
    static func judge(_ bytes: UnsafeRawBufferPointer, room: Int, salt: Salt) -> Finding {
        guard let header = FrameHeader.decode(bytes, salt: salt) else { return .fault(.header) }
        // A right checksum over impossible numbers cannot come from a crash: the sector was written
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

    /// Calls `visit` with every record of a body, in order. Returns false if the lengths do not add
    /// up to exactly `count` records; `visit` has then seen the records before the fault.
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

/// The reason why there is no good frame at a place. Zeros are a `header` fault.
enum FrameFault: Equatable, Sendable {
    /// No header with this segment's salt.
    case header
    /// The header's checksum is right, but its numbers are impossible.
    case impossible
    /// The header is good, the body is not.
    case body(frameBytes: Int)
    /// A whole frame with another first sequence.
    case sequence(found: UInt64, expected: UInt64)
    /// A whole frame that does not carry the hash of the previous block.
    case chain
    /// A whole frame whose record lengths do not add up.
    case records
}

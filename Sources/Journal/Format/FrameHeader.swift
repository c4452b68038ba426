import Cryptography

/// The first 64 bytes of a frame (Format.md, "Frame").
struct FrameHeader: Equatable, Sendable {
    /// The records with their lengths, without padding.
    var bodyBytes: Int
    var count: Int
    /// The sequence of the first record; for an idle marker, the sequence of the next record.
    var firstSequence: UInt64
    var chain: ChainValue
    /// CRC32C of everything after the header, padding included.
    var bodyChecksum: UInt32

    /// Size of header, body and padding.
    var frameBytes: Int { Self.frameBytes(body: bodyBytes) }
    /// The sequence after the last record.
    var endSequence: UInt64 { firstSequence + UInt64(count) }
    var isIdleMarker: Bool { count == 0 }

    static func frameBytes(body: Int) -> Int {
        Format.roundedToSector(Format.frameHeaderBytes + body)
    }

    /// Fills the first 64 bytes of `frame`.
    func encode(into frame: UnsafeMutableRawBufferPointer, salt: Salt) {
        frame.store(littleEndian: Format.frameMagic, at: 0)
        frame.store(littleEndian: salt.stamp, at: 4)
        frame.store(littleEndian: UInt32(bodyBytes), at: 8)
        frame.store(littleEndian: UInt32(count), at: 12)
        frame.store(littleEndian: firstSequence, at: 16)
        chain.store(to: frame, at: 24)
        frame.store(littleEndian: bodyChecksum, at: 56)
        frame.store(
            littleEndian: Self.checksum(UnsafeRawBufferPointer(frame), salt: salt), at: 60)
    }

    /// Reads 64 bytes; nil unless they are a header that was written for this segment.
    static func decode(_ bytes: UnsafeRawBufferPointer, salt: Salt) -> FrameHeader? {
        guard bytes.count >= Format.frameHeaderBytes,
            bytes.littleEndian(UInt32.self, at: 0) == Format.frameMagic,
            bytes.littleEndian(UInt32.self, at: 4) == salt.stamp,
            bytes.littleEndian(UInt32.self, at: 60) == checksum(bytes, salt: salt)
        else { return nil }
        return FrameHeader(
            bodyBytes: Int(bytes.littleEndian(UInt32.self, at: 8)),
            count: Int(bytes.littleEndian(UInt32.self, at: 12)),
            firstSequence: bytes.littleEndian(at: 16),
            chain: ChainValue(bytes, at: 24),
            bodyChecksum: bytes.littleEndian(at: 56))
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, salt: Salt) -> UInt32 {
        CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<60]), seed: salt.seed)
    }
}

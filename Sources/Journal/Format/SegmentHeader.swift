import Cryptography

/// The first 512 bytes of a segment (Format.md, "Segment header").
struct SegmentHeader: Equatable, Sendable {
    /// 1 for a journal's first segment, then incremented for each.
    var number: UInt64
    var firstSequence: UInt64
    var salt: Salt
    /// Microseconds since 1970, by the clock of the machine that began the segment.
    var created: Int64
    /// The hash of the last block before this segment; zero for the first one.
    var chain: ChainValue
    /// The size of the file, which never changes.
    var segmentBytes: Int
    /// The journal that it belongs to.
    var store: StoreIdentity

    /// The end of the room for records: the rest is reserved for an idle marker.
    var recordEnd: Int { segmentBytes - Format.idleMarkerBytes }

    /// The 512 bytes.
    func encoded() -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Format.segmentHeaderBytes)
        block.withUnsafeMutableBytes { bytes in
            bytes.store(littleEndian: Format.segmentMagic, at: 0)
            bytes.store(littleEndian: Format.version, at: 8)
            bytes.store(littleEndian: number, at: 16)
            bytes.store(littleEndian: firstSequence, at: 24)
            bytes.store(littleEndian: salt.seed, at: 32)
            bytes.store(littleEndian: salt.stamp, at: 36)
            bytes.store(littleEndian: created, at: 40)
            chain.store(to: bytes, at: 48)
            bytes.store(littleEndian: UInt64(segmentBytes), at: 80)
            store.store(to: bytes, at: 88)
            bytes.store(littleEndian: Self.checksum(UnsafeRawBufferPointer(bytes)), at: 508)
        }
        return block
    }

    /// Reads the 512 bytes at the start of `block`.
    static func decode(_ block: UnsafeRawBufferPointer) -> Result<SegmentHeader, SegmentHeaderError>
    {
        guard block.count >= Format.segmentHeaderBytes,
            block.littleEndian(UInt64.self, at: 0) == Format.segmentMagic,
            block.littleEndian(UInt32.self, at: 508) == checksum(block)
        else { return .failure(.damaged) }
        // The version counts only with a right checksum; otherwise it is damage like any other.
        let version = block.littleEndian(UInt32.self, at: 8)
        guard version == Format.version else { return .failure(.version(version)) }
        return .success(
            SegmentHeader(
                number: block.littleEndian(at: 16),
                firstSequence: block.littleEndian(at: 24),
                salt: Salt(seed: block.littleEndian(at: 32), stamp: block.littleEndian(at: 36)),
                created: block.littleEndian(at: 40),
                chain: ChainValue(block, at: 48),
                segmentBytes: Int(clamping: block.littleEndian(UInt64.self, at: 80)),
                store: StoreIdentity(block, at: 88)))
    }

    private static func checksum(_ block: UnsafeRawBufferPointer) -> UInt32 {
        CRC32C.checksum(UnsafeRawBufferPointer(rebasing: block[..<508]))
    }
}

/// The reason why 512 bytes are not a segment header that this program can read.
enum SegmentHeaderError: Error, Equatable {
    case damaged
    case version(UInt32)
}

/// 64 random bits of a segment. They are only in its header and never leave the machine, so a
/// sender of notifications cannot write a body that passes for a frame of this segment.
struct Salt: Equatable, Sendable {
    /// The seed of the checksum of every frame header.
    var seed: UInt32
    /// Repeated in every frame header.
    var stamp: UInt32

    init(seed: UInt32, stamp: UInt32) {
        self.seed = seed
        self.stamp = stamp
    }

    init(bits: UInt64) {
        self.init(
            seed: UInt32(truncatingIfNeeded: bits), stamp: UInt32(truncatingIfNeeded: bits >> 32))
    }
}

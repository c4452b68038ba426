import Cryptography

/// The first 512 bytes of a segment (Format.md, "Segment header").
struct SegmentHeader: Equatable, Sendable {
    /// 1 for a journal's first segment, then one more for each.
    var number: UInt64
    var firstSequence: UInt64
    var salt: Salt
    /// Microseconds since 1970, by the clock of the machine that began the segment.
    var created: Int64
    /// The hash of the last block before this segment; zero for the first one.
    var chain: ChainValue
    /// The size that the file was given, and keeps.
    var segmentBytes: Int
    /// The journal that it belongs to; none in the segments of earlier versions.
    var store = StoreIdentity.none

    /// The first place where no record's frame may reach: the rest is kept for an idle marker.
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
        // Only a sound checksum makes the version a version; otherwise it is damage like any other.
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

/// Why 512 bytes are not a segment header that this program can read.
enum SegmentHeaderError: Error, Equatable {
    case damaged
    case version(UInt32)
}

/// Sixty-four random bits of a segment. They stand in its header only, and never leave the machine,
/// so nobody who sends notifications can write a body that poses as a frame of this segment.
struct Salt: Equatable, Sendable {
    /// Where the checksum of every frame header starts.
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

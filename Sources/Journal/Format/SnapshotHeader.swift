import Cryptography

/// The first 512 bytes of a snapshot (Format.md, "Snapshot").
struct SnapshotHeader: Equatable, Sendable {
    var point: SnapshotPoint
    /// Microseconds since 1970.
    var created: Int64
    /// The journal that it belongs to.
    var store: StoreIdentity

    func encoded() -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Format.segmentHeaderBytes)
        block.withUnsafeMutableBytes { bytes in
            bytes.store(littleEndian: Format.snapshotMagic, at: 0)
            bytes.store(littleEndian: Format.version, at: 8)
            bytes.store(littleEndian: point.sequence, at: 16)
            point.chain.store(to: bytes, at: 24)
            bytes.store(littleEndian: created, at: 56)
            store.store(to: bytes, at: 64)
            bytes.store(littleEndian: Self.checksum(UnsafeRawBufferPointer(bytes)), at: 508)
        }
        return block
    }

    /// Reads 512 bytes; nil unless they are the header of a snapshot that this program can read.
    static func decode(_ block: UnsafeRawBufferPointer) -> SnapshotHeader? {
        guard block.count >= Format.segmentHeaderBytes,
            block.littleEndian(UInt64.self, at: 0) == Format.snapshotMagic,
            block.littleEndian(UInt32.self, at: 8) == Format.version,
            block.littleEndian(UInt32.self, at: 508) == checksum(block)
        else { return nil }
        return SnapshotHeader(
            point: SnapshotPoint(
                sequence: block.littleEndian(at: 16), chain: ChainValue(block, at: 24)),
            created: block.littleEndian(at: 56), store: StoreIdentity(block, at: 64))
    }

    /// The checksum at the header's end, which seeds the first chunk's.
    static func checksum(_ block: UnsafeRawBufferPointer) -> UInt32 {
        CRC32C.checksum(UnsafeRawBufferPointer(rebasing: block[..<508]))
    }
}

/// A part of one section of a snapshot. Its checksum is seeded with the previous one, so that a
/// lost, repeated or moved chunk breaks the checksum of the next, and the last checksum covers the
/// whole file.
struct SnapshotChunk: Equatable {
    static let headerBytes = 16
    static let magic: UInt32 = 0x434e_5049  // "IPNC"
    /// The section number of the chunk that ends every snapshot.
    static let endSection = UInt32.max

    var section: UInt32
    var bytes: Int
    var checksum: UInt32

    /// Appends a chunk to `output` and returns its checksum.
    static func append(
        section: UInt32, _ bytes: UnsafeRawBufferPointer, after seed: UInt32,
        to output: inout [UInt8]
    ) -> UInt32 {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: headerBytes))
        output.append(contentsOf: bytes)
        return output.withUnsafeMutableBytes { all in
            let chunk = UnsafeMutableRawBufferPointer(rebasing: all[start...])
            chunk.store(littleEndian: magic, at: 0)
            chunk.store(littleEndian: section, at: 4)
            chunk.store(littleEndian: UInt32(bytes.count), at: 8)
            let checksum = checksum(UnsafeRawBufferPointer(chunk), after: seed)
            chunk.store(littleEndian: checksum, at: 12)
            return checksum
        }
    }

    /// Reads the 16 bytes before a chunk's content.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> SnapshotChunk? {
        guard bytes.count >= headerBytes, bytes.littleEndian(UInt32.self, at: 0) == magic else {
            return nil
        }
        return SnapshotChunk(
            section: bytes.littleEndian(at: 4), bytes: Int(bytes.littleEndian(UInt32.self, at: 8)),
            checksum: bytes.littleEndian(at: 12))
    }

    /// The checksum of the first twelve bytes and the content.
    static func checksum(_ chunk: UnsafeRawBufferPointer, after seed: UInt32) -> UInt32 {
        let head = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: chunk[..<12]), seed: seed)
        return CRC32C.checksum(UnsafeRawBufferPointer(rebasing: chunk[headerBytes...]), seed: head)
    }
}

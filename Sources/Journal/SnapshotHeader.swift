import Cryptography

/// The first 512 bytes of a snapshot (Format.md, "Snapshot").
struct SnapshotHeader: Equatable, Sendable {
    var point: SnapshotPoint
    /// Microseconds since 1970.
    var created: Int64
    /// The journal that it belongs to; none in the snapshots of earlier versions.
    var store = StoreIdentity.none

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

    /// Reads 512 bytes; nil when they are not the header of a snapshot that this program can read.
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

    /// The checksum that stands at the header's end, where the chunks' checksums start.
    static func checksum(_ block: UnsafeRawBufferPointer) -> UInt32 {
        CRC32C.checksum(UnsafeRawBufferPointer(rebasing: block[..<508]))
    }
}

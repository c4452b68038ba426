/// The numbers and names of the disk format, which `Format.md` defines.
enum Format {
    static let version: UInt32 = 1
    /// Headers and frames begin at multiples of this size, which a disk writes atomically.
    static let sectorBytes = 512
    static let segmentHeaderBytes = 512
    static let frameHeaderBytes = 64
    static let recordHeaderBytes = 4
    /// The highest sequence that a segment may begin with: a record's number is a signed 64-bit
    /// integer.
    static let sequenceMax = UInt64(Int64.max)
    /// The largest frame that any options allow. It bounds the reach of one torn write whose header
    /// is lost.
    static let frameBytesCeiling = 16 << 20
    /// Size of an idle marker: a frame header and padding. Every segment reserves room for one.
    static let idleMarkerBytes = 512

    static let segmentMagic: UInt64 = 0x0047_4553_444e_5049  // "IPNDSEG\0" in little-endian order
    static let snapshotMagic: UInt64 = 0x0050_4e53_444e_5049  // "IPNDSNP\0"
    static let frameMagic: UInt32 = 0x464e_5049  // "IPNF"

    static let lockName = "lock"
    static let identityName = "identity"
    static let archiveName = "archive"
    static let preparedName = "prepared.tmp"
    static let segmentSuffix = ".segment"
    static let snapshotSuffix = ".snapshot"
    static let temporarySuffix = ".tmp"
    static let tornSuffix = ".torn"
    static let digits = 10

    /// `0000000042.segment`: the name has the first sequence that the segment may hold.
    static func segmentName(firstSequence: UInt64) -> String {
        padded(firstSequence) + segmentSuffix
    }

    /// `0000000042.snapshot`: the name has the last sequence that the snapshot covers.
    static func snapshotName(lastSequence: UInt64) -> String {
        padded(lastSequence) + snapshotSuffix
    }

    /// `0000000042.00000512.torn`: the segment's first sequence, and the offset of the bytes that
    /// were cut from it.
    static func tornName(firstSequence: UInt64, offset: Int) -> String {
        padded(firstSequence) + "." + padded(UInt64(offset), digits: 8) + tornSuffix
    }

    /// Returns the number in a name that ends in `suffix`; nil unless it has at least ten digits in
    /// canonical form.
    static func number(in name: String, suffix: String) -> UInt64? {
        guard name.hasSuffix(suffix) else { return nil }
        guard let number = UInt64(name.dropLast(suffix.count)) else { return nil }
        return padded(number) + suffix == name ? number : nil
    }

    private static func padded(_ number: UInt64, digits: Int = Format.digits) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The next multiple of a sector at or above `bytes`.
    static func roundedToSector(_ bytes: Int) -> Int {
        (bytes + sectorBytes - 1) / sectorBytes * sectorBytes
    }
}

extension UnsafeRawBufferPointer {
    /// The little-endian integer at `offset`, aligned or not.
    func littleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ type: Integer.Type = Integer.self, at offset: Int
    ) -> Integer {
        Integer(littleEndian: loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Stores `value` in little-endian order at `offset`, aligned or not.
    func store<Integer: FixedWidthInteger & BitwiseCopyable>(
        littleEndian value: Integer, at offset: Int
    ) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
    }
}

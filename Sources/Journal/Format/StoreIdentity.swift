import Bytes

/// The identity of a journal: 128 random bits, which its segments, snapshots and feed carry. A
/// sequence has a meaning only together with it.
package struct StoreIdentity: Sendable, Hashable, CustomStringConvertible {
    private let words: SIMD2<UInt64>

    static let byteCount = 16

    /// Draws a new identity.
    init(randomFrom storage: any Storage) {
        words = SIMD2(storage.randomBits(), storage.randomBits())
    }

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        words = SIMD2(bytes.littleEndian(at: offset), bytes.littleEndian(at: offset + 8))
    }

    /// Parses the format of `description`: 32 lower-case hexadecimal digits. Nil for any other
    /// text.
    package init?(hexadecimal text: some StringProtocol) {
        guard let bytes = Hex.decode(String(text)), bytes.count == Self.byteCount else {
            return nil
        }
        self = bytes.withUnsafeBytes { StoreIdentity($0, at: 0) }
        if description != text { return nil }
    }

    func store(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
        bytes.store(littleEndian: words.x, at: offset)
        bytes.store(littleEndian: words.y, at: offset + 8)
    }

    /// 32 lower-case hexadecimal digits, in the order of the bytes on disk.
    package var description: String {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        bytes.withUnsafeMutableBytes { store(to: $0, at: 0) }
        return Hex.encode(bytes)
    }
}

import Bytes
import Cryptography

/// Which journal it is: 128 random bits, which every segment, snapshot and feed of it carries. A
/// sequence means something only together with it.
package struct StoreIdentity: Sendable, Hashable, CustomStringConvertible {
    private let words: SIMD2<UInt64>

    static let byteCount = 16
    /// In the segments and snapshots of earlier versions.
    static let none = StoreIdentity(words: .zero)

    private init(words: SIMD2<UInt64>) { self.words = words }

    /// A new one.
    init(randomFrom storage: any Storage) {
        words = SIMD2(storage.randomBits(), storage.randomBits())
    }

    /// Of a journal that an earlier version began: made from the header of its first segment, in
    /// which 64 bits are random, and the same whenever it is made.
    init(first header: SegmentHeader) {
        let hash = SHA256.hash(Array("ipnd store identity".utf8) + header.encoded())
        self = hash.withUnsafeBytes { StoreIdentity($0, at: 0) }
    }

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        words = SIMD2(bytes.littleEndian(at: offset), bytes.littleEndian(at: offset + 8))
    }

    /// What `description` prints: 32 lower-case hexadecimal digits, or nil.
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

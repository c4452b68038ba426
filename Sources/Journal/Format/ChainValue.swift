import Bytes
import Cryptography

/// A link of the chain: the SHA-256 of a whole block (a segment header, or a frame with body and
/// padding).
package struct ChainValue: Sendable, Hashable, CustomStringConvertible {
    /// The four words in the order of the digest's bytes.
    private var words: (UInt64, UInt64, UInt64, UInt64)

    static let byteCount = 32

    /// The value before the first segment: 32 zero bytes.
    package static let zero = ChainValue()

    private init() { words = (0, 0, 0, 0) }

    /// The hash of `block`.
    init(hashing block: UnsafeRawBufferPointer) {
        self.init()
        withUnsafeMutableBytes(of: &words) { SHA256.hash(block, into: $0) }
    }

    /// The 32 bytes at `offset`.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        self.init()
        withUnsafeMutableBytes(of: &words) { target in
            target.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Self.byteCount]))
        }
    }

    /// Parses the format of `description`: 64 hexadecimal digits in either case. Nil for any other
    /// text.
    package init?(hexadecimal text: String) {
        guard let bytes = Hex.decode(text), bytes.count == Self.byteCount else { return nil }
        self = bytes.withUnsafeBytes { ChainValue($0, at: 0) }
    }

    func store(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
        withUnsafeBytes(of: words) { source in
            UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + Self.byteCount])
                .copyMemory(from: source)
        }
    }

    /// 64 lower-case hexadecimal digits.
    package var description: String {
        Hex.encode(withUnsafeBytes(of: words) { [UInt8]($0) })
    }

    package static func == (left: ChainValue, right: ChainValue) -> Bool {
        left.words == right.words
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

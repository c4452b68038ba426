/// The block sizes of an arena: every multiple of eight up to 256 bytes, then steps of an eighth,
/// so that an order with many events wastes little either; beyond `blockBytesMax` a blob gets a
/// chunk of its own.
struct SizeClass: Sendable, Equatable {
    /// Bytes that a block of this class takes.
    let bytes: Int
    /// Its free list; nil when the blob has a chunk of its own.
    let list: Int?

    /// A quarter of a chunk: the tail that a new chunk leaves unused stays small.
    static let blockBytesMax = 4096
    static let count = 32 + 4 * 8

    /// The class for a block of `bytes` bytes.
    init(bytes: Int) {
        if bytes <= 256 {
            let units = max(1, (bytes + 7) / 8)
            self.bytes = units * 8
            list = units - 1
        } else if bytes <= Self.blockBytesMax {
            // bytes lies in (2^power, 2^(power + 1)], cut into eight equal steps.
            let power = Int.bitWidth - 1 - (bytes - 1).leadingZeroBitCount
            let step = 1 << (power - 3)
            let index = (bytes - 1 - (1 << power)) / step
            self.bytes = 1 << power + (index + 1) * step
            list = 32 + (power - 8) * 8 + index
        } else {
            self.bytes = (bytes + 4095) & ~4095
            list = nil
        }
    }
}

/// Words of a known number that come in pieces of bytes.
struct FilledWords {
    private(set) var words: [UInt64]
    private var filledBytes = 0

    init(count: Int) { words = [UInt64](repeating: 0, count: count) }

    var isFull: Bool { filledBytes == words.count * 8 }

    /// Copies a piece behind the ones before; false when there is no room for it.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let range = filledBytes..<filledBytes + bytes.count
        guard range.upperBound <= words.count * 8 else { return false }
        words.withUnsafeMutableBytes { target in
            UnsafeMutableRawBufferPointer(rebasing: target[range]).copyMemory(from: bytes)
        }
        filledBytes = range.upperBound
        return true
    }
}

import Cryptography

/// The hash chain over the batches, defined in the tables' SQL at `batch`.
enum RecordChain {
    /// The hash of a batch after `head` whose first record has the sequence `first`.
    static func hash(after head: [UInt8], first: UInt64, _ records: [[UInt8]]) -> [UInt8] {
        var parts = [head[...], bytes(first), bytes(UInt64(records.count))]
        for record in records {
            parts.append(bytes(UInt64(record.count)))
            parts.append(record[...])
        }
        return SHA256.hash(parts: parts)
    }

    private static func bytes(_ number: UInt64) -> ArraySlice<UInt8> {
        withUnsafeBytes(of: number.bigEndian) { Array($0)[...] }
    }
}

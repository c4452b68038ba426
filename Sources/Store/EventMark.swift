/// An event's identity and what the dedup index keeps of it.
struct EventMark {
    var key: KeyHash
    var entry: DedupTable.Entry

    /// - Parameter content: the hash of what the event says.
    init(key: KeyHash, content: KeyHash, sequence: UInt64) {
        self.key = key
        let fingerprint = UInt32(truncatingIfNeeded: content.low) & DedupTable.fingerprintMask
        entry = DedupTable.Entry(sequence: sequence, fingerprint: fingerprint)
    }
}

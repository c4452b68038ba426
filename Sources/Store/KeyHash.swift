/// The 128-bit keyed hash that stands for an event, an order or a transaction in the tables.
struct KeyHash: Sendable, Hashable {
    var low: UInt64
    var high: UInt64

    /// The shard that holds the key: the first 8 bits.
    var shard: Int { Int(low >> 56) }

    /// The next 32 bits: what a slot of the order table keeps of the key.
    var tag: UInt32 { UInt32(truncatingIfNeeded: low >> 24) }

    /// Shard and tag together, 40 bits: enough to find an order again without its reference.
    var locator: UInt64 { low >> 24 }

    /// The next 24 bits: what a slot of the pointer table keeps of the key.
    var pointerTag: UInt32 { UInt32(truncatingIfNeeded: low >> 32) & 0xff_ffff }

    // The bits are uniform already, under a key that nobody knows: a second hash over them would be
    // wasted in the batch's dictionaries. The first of these is what `Dictionary` asks for.
    func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: high) ^ seed }
    func hash(into hasher: inout Hasher) { hasher.combine(high) }
}

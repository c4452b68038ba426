/// The channels of one loop by token.
///
/// A token is a slot and the slot's generation: an event that the kernel had queued for a
/// descriptor which was closed in the same turn must not reach the channel that took its place.
struct ChannelTable {
    /// Stands for the loop's own eventfd.
    static let wakeupToken = UInt64.max

    private var slots: [Channel?] = []
    private var generations: [UInt32] = []
    private var free: [UInt32] = []

    mutating func insert(_ channel: Channel) {
        let slot: UInt32
        if let reused = free.popLast() {
            slot = reused
            slots[Int(slot)] = channel
        } else {
            slot = UInt32(slots.count)
            slots.append(channel)
            generations.append(0)
        }
        channel.token = UInt64(generations[Int(slot)]) << 32 | UInt64(slot)
    }

    mutating func remove(_ channel: Channel) {
        let slot = Int(UInt32(truncatingIfNeeded: channel.token))
        guard slot < slots.count, slots[slot] === channel else { return }
        slots[slot] = nil
        generations[slot] &+= 1
        free.append(UInt32(slot))
    }

    subscript(token token: UInt64) -> Channel? {
        let slot = Int(UInt32(truncatingIfNeeded: token))
        guard slot < slots.count, generations[slot] == UInt32(token >> 32) else { return nil }
        return slots[slot]
    }
}

import Synchronization

/// The memory for large requests, shared by all connections of a server. `bodyBytesMax` limits one
/// connection, but ten thousand times that is more than any machine has.
final class MemoryBudget: Sendable {
    private let bytesMax: Atomic<Int>
    private let taken = Atomic(0)

    init(bytesMax: Int) { self.bytesMax = Atomic(bytesMax) }

    /// Sets a reload's new limit. Memory that is already taken stays.
    func set(bytesMax: Int) { self.bytesMax.store(bytesMax, ordering: .relaxed) }

    /// Takes `bytes` and returns true, or takes nothing and returns false if there is no room.
    func take(_ bytes: Int) -> Bool {
        let after = taken.add(bytes, ordering: .relaxed).newValue
        guard after > bytesMax.load(ordering: .relaxed) else { return true }
        give(bytes)
        return false
    }

    func give(_ bytes: Int) { taken.subtract(bytes, ordering: .relaxed) }
}

/// One connection's part of the budget. Small requests, as notifications are, never touch the
/// shared count.
struct MemoryShare {
    /// Bytes that each connection may hold without being counted.
    static let freeBytes = 16_384
    private static let stepBytes = 65_536

    private let budget: MemoryBudget
    private var taken = 0

    init(of budget: MemoryBudget) { self.budget = budget }

    /// Takes memory so that `bytes` may be held; returns false if there is no room.
    mutating func hold(_ bytes: Int) -> Bool {
        guard bytes > max(taken, Self.freeBytes) else { return true }
        let more = (bytes - taken + Self.stepBytes - 1) / Self.stepBytes * Self.stepBytes
        guard budget.take(more) else { return false }
        taken += more
        return true
    }

    /// Returns everything to the budget. Called after each request and when the connection ends.
    mutating func release() {
        guard taken > 0 else { return }
        budget.give(taken)
        taken = 0
    }
}

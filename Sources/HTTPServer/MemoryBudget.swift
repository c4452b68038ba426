import Synchronization

/// The memory for large requests that all connections of a server share: what each connection may
/// hold is bounded by `bodyBytesMax`, but ten thousand times that is more than any machine has.
final class MemoryBudget: Sendable {
    private let bytesMax: Atomic<Int>
    private let taken = Atomic(0)

    init(bytesMax: Int) { self.bytesMax = Atomic(bytesMax) }

    /// A reload's new limit. What is taken already stays.
    func set(bytesMax: Int) { self.bytesMax.store(bytesMax, ordering: .relaxed) }

    /// False when there is no room, and then nothing is taken.
    func take(_ bytes: Int) -> Bool {
        let after = taken.add(bytes, ordering: .relaxed).newValue
        guard after > bytesMax.load(ordering: .relaxed) else { return true }
        give(bytes)
        return false
    }

    func give(_ bytes: Int) { taken.subtract(bytes, ordering: .relaxed) }
}

/// One connection's part of the budget. Small requests, which is what notifications are, never
/// touch the shared count.
struct MemoryShare {
    /// What every connection may hold without asking.
    static let freeBytes = 16_384
    private static let stepBytes = 65_536

    private let budget: MemoryBudget
    private var taken = 0

    init(of budget: MemoryBudget) { self.budget = budget }

    /// Makes sure that `bytes` may be held; false when there is no room for them.
    mutating func hold(_ bytes: Int) -> Bool {
        guard bytes > max(taken, Self.freeBytes) else { return true }
        let more = (bytes - taken + Self.stepBytes - 1) / Self.stepBytes * Self.stepBytes
        guard budget.take(more) else { return false }
        taken += more
        return true
    }

    /// Gives everything back. The connection calls it after each request and at its end.
    mutating func release() {
        guard taken > 0 else { return }
        budget.give(taken)
        taken = 0
    }
}

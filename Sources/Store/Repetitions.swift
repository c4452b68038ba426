import Payments
import Synchronization

/// How often notifications came again, by the record that holds them.
///
/// A repetition is answered and not recorded, so this is known since the process began, and of the
/// records that were repeated last: the memory is bounded. With a database, each instance knows
/// what came to itself.
package final class Repetitions: Sendable {
    package struct Count: Sendable, Equatable {
        package var times = 0
        package var last: Timestamp
    }

    /// At least half of so many records are remembered, those that were repeated last.
    package static let recordsMax = 16_384

    /// Since when it counts.
    package let since: Timestamp

    /// When the younger half is full it becomes the older one, whose records are forgotten.
    private struct Halves {
        var younger: [UInt64: Count] = [:]
        var older: [UInt64: Count] = [:]
    }

    private let halves = Mutex(Halves())

    package init(since: Timestamp) { self.since = since }

    /// What the record of this sequence holds came again.
    package func add(_ sequence: UInt64, at time: Timestamp) {
        halves.withLock { halves in
            var count =
                halves.younger[sequence] ?? halves.older.removeValue(forKey: sequence)
                ?? Count(last: time)
            count.times += 1
            count.last = max(count.last, time)
            if halves.younger[sequence] == nil, halves.younger.count >= Self.recordsMax / 2 {
                halves.older = halves.younger
                halves.younger = [:]
            }
            halves.younger[sequence] = count
        }
    }

    /// Nil of a record that was never repeated, or so long ago that it is forgotten.
    package subscript(_ sequence: UInt64) -> Count? {
        halves.withLock { $0.younger[sequence] ?? $0.older[sequence] }
    }

    var recordCount: Int { halves.withLock { $0.younger.count + $0.older.count } }
}

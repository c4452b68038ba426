import Payments
import Synchronization

/// Counts of repeated notifications, by the record that holds them.
///
/// A repetition is answered and not recorded, so the counts start with the process, and cover only
/// the records that were repeated last, to bound the memory. With a database, each instance counts
/// its own.
package final class Repetitions: Sendable {
    package struct Count: Sendable, Equatable {
        package var times = 0
        package var last: Timestamp
    }

    /// At least half as many records are remembered, those that were repeated last.
    package static let recordsMax = 16_384

    /// When counting began.
    package let since: Timestamp

    /// When the younger half is full it becomes the older one, whose records are forgotten.
    private struct Halves {
        var younger: [UInt64: Count] = [:]
        var older: [UInt64: Count] = [:]
    }

    private let halves = Mutex(Halves())

    package init(since: Timestamp) { self.since = since }

    /// Counts a repetition of the record of this sequence.
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

    /// The count of a record; nil if it was never repeated, or is forgotten.
    package subscript(_ sequence: UInt64) -> Count? {
        halves.withLock { $0.younger[sequence] ?? $0.older[sequence] }
    }

    var recordCount: Int { halves.withLock { $0.younger.count + $0.older.count } }
}

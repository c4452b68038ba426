import Synchronization

/// A histogram that one thread writes and any thread reads.
final class Buckets: Sendable {
    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    private let bounds: [Int]
    private let counters: [Counter]
    private let sum = Atomic<Int>(0)

    /// `bounds` are the greatest values of the buckets, rising; one more bucket takes the rest.
    init(bounds: [Int]) {
        self.bounds = bounds
        counters = (0...bounds.count).map { _ in Counter() }
    }

    func add(_ value: Int) {
        let counter = counters[bounds.firstIndex { value <= $0 } ?? bounds.count]
        counter.value.store(counter.value.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        sum.store(sum.load(ordering: .relaxed) &+ value, ordering: .relaxed)
    }

    func read() -> BucketCounts {
        BucketCounts(
            bounds: bounds, counts: counters.map { $0.value.load(ordering: .relaxed) },
            sum: sum.load(ordering: .relaxed))
    }
}

/// A histogram at one moment.
package struct BucketCounts: Sendable, Equatable {
    /// The greatest values of the buckets but the last, which has no bound.
    package var bounds: [Int]
    /// One more than bounds; each counts its own values only.
    package var counts: [Int]
    package var sum: Int
}

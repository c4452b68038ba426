import Synchronization

/// A histogram with fixed buckets. Any thread adds and any thread reads, without a lock.
package final class Histogram: Sendable {
    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    private let bounds: [Int]
    private let counters: [Counter]
    private let sum = Atomic<Int>(0)

    /// - Parameter bounds: The greatest values of the buckets, rising; one more bucket takes the
    ///   rest.
    package init(bounds: [Int]) {
        self.bounds = bounds
        counters = (0...bounds.count).map { _ in Counter() }
    }

    package func add(_ value: Int) {
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        counters[index].value.wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(value, ordering: .relaxed)
    }

    /// The counts now. What is added meanwhile may be in some of them.
    package func read() -> HistogramCounts {
        HistogramCounts(
            bounds: bounds, counts: counters.map { $0.value.load(ordering: .relaxed) },
            sum: sum.load(ordering: .relaxed))
    }
}

/// A histogram at one moment.
package struct HistogramCounts: Sendable, Equatable {
    /// The greatest values of the buckets but the last, which has no bound.
    package var bounds: [Int]
    /// One more than bounds; each counts its own values only.
    package var counts: [Int]
    package var sum: Int
}

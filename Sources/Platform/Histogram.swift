import Synchronization

/// A histogram with fixed buckets. Any thread may add and read, without a lock.
package final class Histogram: Sendable {
    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    private let bounds: [Int]
    private let counters: [Counter]
    private let sum = Atomic<Int>(0)

    /// - Parameter bounds: Upper bounds of the buckets, ascending; one more bucket counts larger
    ///   values.
    package init(bounds: [Int]) {
        self.bounds = bounds
        counters = (0...bounds.count).map { _ in Counter() }
    }

    package func add(_ value: Int) {
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        counters[index].value.wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(value, ordering: .relaxed)
    }

    /// Returns the present counts. A value that is added meanwhile may be in some of them.
    package func read() -> HistogramCounts {
        HistogramCounts(
            bounds: bounds, counts: counters.map { $0.value.load(ordering: .relaxed) },
            sum: sum.load(ordering: .relaxed))
    }
}

/// A snapshot of a histogram.
package struct HistogramCounts: Sendable, Equatable {
    /// Upper bounds of all buckets but the last, which has none.
    package var bounds: [Int]
    /// One count per bucket, not cumulative: one more than `bounds`.
    package var counts: [Int]
    package var sum: Int
}

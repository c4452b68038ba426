import Synchronization

/// A latency histogram with fixed buckets, each an atomic counter.
final class Histogram: Sendable {
    /// Upper bounds in microseconds; the last bucket has none.
    static let boundsMicros: [UInt64] = [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 5_000_000,
    ]

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    private let buckets: [Counter]
    private let sumMicros = Atomic<Int>(0)

    init() {
        buckets = (0...Self.boundsMicros.count).map { _ in Counter() }
    }

    func add(micros: UInt64) {
        let index = Self.boundsMicros.firstIndex { micros <= $0 } ?? Self.boundsMicros.count
        buckets[index].value.wrappingAdd(1, ordering: .relaxed)
        sumMicros.wrappingAdd(Int(clamping: micros), ordering: .relaxed)
    }

    func write(to page: inout MetricsPage, _ name: String, _ labels: [(String, String)]) {
        var total = 0
        for (index, bucket) in buckets.enumerated() {
            total += bucket.value.load(ordering: .relaxed)
            let bound =
                index < Self.boundsMicros.count
                ? MetricsPage.seconds(micros: Self.boundsMicros[index]) : "+Inf"
            page.sample("\(name)_bucket", labels + [("le", bound)], total)
        }
        let sum = UInt64(clamping: sumMicros.load(ordering: .relaxed))
        page.sample("\(name)_sum", labels, text: MetricsPage.seconds(micros: sum))
        page.sample("\(name)_count", labels, total)
    }
}

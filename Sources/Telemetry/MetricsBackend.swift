import CoreMetrics
import Synchronization

/// A backend of swift-metrics that keeps the current value of each metric for ``OTLPMetrics``.
///
/// Distributions are summed up, because ipnd's own have their buckets already: a recorder that
/// aggregates, and a timer, are a sum and a count.
package final class MetricsBackend: MetricsFactory {
    /// The name and the labels of a metric.
    struct Series: Hashable {
        let name: String
        let labels: [Label]

        init(_ name: String, _ dimensions: [(String, String)]) {
            self.name = name
            labels = dimensions.map { Label(name: $0.0, value: $0.1) }
        }
    }

    struct Label: Hashable {
        let name: String
        let value: String
    }

    private let values = Mutex<[Series: MetricValue]>([:])

    package init() {}

    /// The metrics, sorted by name and labels.
    var all: [(series: Series, isCounter: Bool, value: Double)] {
        values.withLock { $0 }.map { ($0.key, $0.value.isCounter, $0.value.read()) }
            .sorted { left, right in
                left.series.name == right.series.name
                    ? left.series.labels.lexicographicallyPrecedes(right.series.labels) {
                        ($0.name, $0.value) < ($1.name, $1.value)
                    } : left.series.name < right.series.name
            }
    }

    private func value(
        _ label: String, _ dimensions: [(String, String)], isCounter: Bool
    ) -> MetricValue {
        values.withLock { values in
            let series = Series(label, dimensions)
            if let known = values[series] { return known }
            let value = MetricValue(series, isCounter: isCounter)
            values[series] = value
            return value
        }
    }

    private func destroy(_ handler: Any) {
        guard let value = handler as? MetricValue else { return }
        values.withLock { _ = $0.removeValue(forKey: value.series) }
    }

    package func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler { value(label, dimensions, isCounter: true) }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { value(label, dimensions, isCounter: true) }

    package func makeMeter(
        label: String, dimensions: [(String, String)]
    ) -> any MeterHandler { value(label, dimensions, isCounter: false) }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if !aggregate { return value(label, dimensions, isCounter: false) }
        return SummedMetric(
            sum: value("\(label)_sum", dimensions, isCounter: true),
            count: value("\(label)_count", dimensions, isCounter: true))
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        SummedMetric(
            sum: value("\(label)_nanoseconds_sum", dimensions, isCounter: true),
            count: value("\(label)_nanoseconds_count", dimensions, isCounter: true))
    }

    package func destroyCounter(_ handler: any CounterHandler) { destroy(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        destroy(handler)
    }
    package func destroyMeter(_ handler: any MeterHandler) { destroy(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { destroySum(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { destroySum(handler) }

    private func destroySum(_ handler: Any) {
        destroy(handler)
        guard let summed = handler as? SummedMetric else { return }
        destroy(summed.sum)
        destroy(summed.count)
    }
}

/// The current value of a counter or a gauge.
private final class MetricValue: CounterHandler, FloatingPointCounterHandler, MeterHandler,
    RecorderHandler
{
    let series: MetricsBackend.Series
    let isCounter: Bool
    private let value = Mutex(0.0)

    init(_ series: MetricsBackend.Series, isCounter: Bool) {
        self.series = series
        self.isCounter = isCounter
    }

    func read() -> Double { value.withLock { $0 } }

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func reset() { value.withLock { $0 = 0 } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}

/// A distribution as its sum and its count.
private final class SummedMetric: RecorderHandler, TimerHandler {
    let sum: MetricValue
    let count: MetricValue

    init(sum: MetricValue, count: MetricValue) {
        self.sum = sum
        self.count = count
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        sum.increment(by: value)
        count.increment(by: Int64(1))
    }

    func recordNanoseconds(_ duration: Int64) { record(duration) }
}

import AdminAPI
import CoreMetrics
import Synchronization

/// Reports the metrics of the page to a backend of swift-metrics, under the same names and labels.
///
/// A histogram is its three series there, as on the page: `…_bucket` with the label `le`, `…_sum`
/// and `…_count`.
final class MetricsRecorder: Sendable {
    private struct Series: Hashable {
        let name: String
        let labels: [String: String]
    }

    private enum Reported {
        case counter(FloatingPointCounter, last: Double)
        case gauge(Meter)
    }

    private let factory: any MetricsFactory
    private let reported = Mutex<[Series: Reported]>([:])

    init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Reports the values of a page. What is not on it any more is forgotten.
    func record(_ page: MetricsReading) {
        reported.withLock { reported in
            var gone = Set(reported.keys)
            for sample in page.samples {
                let series = Series(name: sample.name, labels: sample.labels)
                gone.remove(series)
                record(sample, page, &reported[series])
            }
            for series in gone {
                switch reported.removeValue(forKey: series) {
                case .counter(let counter, _): counter.destroy()
                case .gauge(let meter): meter.destroy()
                case nil: break
                }
            }
        }
    }

    private func record(
        _ sample: MetricsReading.Sample, _ page: MetricsReading, _ reported: inout Reported?
    ) {
        switch reported {
        case .counter(let counter, let last):
            // A counter that is lower began again.
            counter.increment(by: sample.value < last ? sample.value : sample.value - last)
            reported = .counter(counter, last: sample.value)
        case .gauge(let meter): meter.set(sample.value)
        case nil:
            let labels = sample.labels.sorted { $0.key < $1.key }
            if page.isCounter(sample.name) {
                let counter = FloatingPointCounter(
                    label: sample.name, dimensions: labels.map { ($0.key, $0.value) },
                    factory: factory)
                counter.increment(by: sample.value)
                reported = .counter(counter, last: sample.value)
            } else {
                let meter = Meter(
                    label: sample.name, dimensions: labels.map { ($0.key, $0.value) },
                    factory: factory)
                meter.set(sample.value)
                reported = .gauge(meter)
            }
        }
    }
}

import Platform
import Store
import Synchronization

/// Measures the records per second of the last minutes, for the chart of the screen "Now". It
/// samples the newest sequence every few seconds while records arrive, and sleeps while none do.
final class RateMeter: Sendable {
    static let intervalSeconds = 2
    static let samplesMax = 120

    private struct Sample {
        var time: MonotonicTime
        var sequence: UInt64
    }

    private let clock: any Clock
    private let samples = Mutex<[Sample]>([])
    private let task: Mutex<Task<Void, Never>?>

    init(_ feed: CommitFeed, clock: any Clock) {
        self.clock = clock
        task = Mutex(nil)
        let watch = feed.watchRecords()
        add(feed.durableSequence, at: clock.now)
        let started = Task.detached(executorPreference: WorkerPool.shared) {
            [weak self, weak feed] in
            for await _ in watch.changes {
                guard let self, let feed else { return }
                add(feed.durableSequence, at: clock.now)
                try? await clock.sleep(seconds: Self.intervalSeconds)
            }
        }
        task.withLock { $0 = started }
    }

    deinit { task.withLock { $0?.cancel() } }

    /// Adds a sample: `sequence` was the newest at `time`.
    func add(_ sequence: UInt64, at time: MonotonicTime) {
        samples.withLock { samples in
            let interval = UInt64(Self.intervalSeconds) * 1_000_000_000
            // No samples are taken while no records arrive. So the new records arrived within the
            // last interval.
            if let last = samples.last, time.nanoseconds(since: last.time) > 2 * interval {
                let before = MonotonicTime(nanoseconds: time.nanoseconds - interval)
                samples.append(Sample(time: before, sequence: last.sequence))
            }
            samples.append(Sample(time: time, sequence: sequence))
            let reach = UInt64(Self.samplesMax + 1) * interval
            let old = samples.prefix { time.nanoseconds(since: $0.time) > reach }.count
            // The last old sample is the start of the first interval.
            samples.removeFirst(max(0, old - 1))
        }
    }

    /// Records per second in each interval from the first sample to now, oldest first.
    var perSecond: [Double] { perSecond(until: clock.now) }

    /// Records per second in each interval from the first sample to `time`, oldest first.
    func perSecond(until time: MonotonicTime) -> [Double] {
        let samples = samples.withLock { $0 }
        guard let first = samples.first else { return [] }
        let interval = UInt64(Self.intervalSeconds) * 1_000_000_000
        let whole = Int(time.nanoseconds(since: first.time) / interval)
        let count = min(whole, Self.samplesMax)
        var place = 0
        let sequences = (0...count).map { number in
            let moment = time.nanoseconds - UInt64(count - number) * interval
            while place + 1 < samples.count, samples[place + 1].time.nanoseconds <= moment {
                place += 1
            }
            let (before, after) = (samples[place], samples[min(place + 1, samples.count - 1)])
            guard after.time > before.time, moment > before.time.nanoseconds else {
                return Double(before.sequence)
            }
            let share =
                Double(moment - before.time.nanoseconds)
                / Double(after.time.nanoseconds(since: before.time))
            return Double(before.sequence) + share * Double(after.sequence - before.sequence)
        }
        return zip(sequences, sequences.dropFirst()).map { before, after in
            (after - before) / Double(Self.intervalSeconds)
        }
    }
}

/// Scales values to the points of an SVG `polyline`.
enum RateLine {
    static let width = 480.0
    static let height = 64.0

    static func points(_ values: [Double]) -> String {
        guard values.count > 1, let top = values.max() else { return "" }
        let scale = top > 0 ? (height - 4) / top : 0
        let step = width / Double(RateMeter.samplesMax - 1)
        let start = width - step * Double(values.count - 1)
        return values.enumerated().map { index, value in
            let x = PageText.decimal(start + step * Double(index))
            return "\(x),\(PageText.decimal(height - 2 - value * scale))"
        }.joined(separator: " ")
    }
}

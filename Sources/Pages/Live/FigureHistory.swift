import AdminAPI
import Glibc
import JSON
import Platform
import Synchronization

/// Refused requests and failed deliveries by the hour, of the last week. The counters of the
/// metrics begin at 0 with each start, so this adds up their growth and keeps it in a file.
package final class FigureHistory: Sendable {
    /// The counts of one hour.
    struct Hour: Sendable, Equatable {
        /// Hours since 1970.
        var number: Int
        var refused = 0
        var failed = 0
    }

    private struct State: ~Copyable {
        var hours: [Hour] = []
        /// The counters at the last reading; 0 at the start of the process.
        var refused = 0
        var failed = 0
        var saved: [Hour] = []
    }

    static let hoursMax = 7 * 24
    private static let intervalSeconds = 60
    private static let fileBytesMax = 1 << 20

    private let folder: String
    private let file: String
    private let clock: any Clock
    private let state: Mutex<State>

    /// - Parameter folder: Created when there is something to keep.
    package init(folder: String, clock: any Clock) {
        self.folder = folder
        file = "\(folder)/hours.json"
        self.clock = clock
        var state = State()
        state.hours = Self.read(file)
        state.saved = state.hours
        self.state = Mutex(state)
    }

    /// Reads the counters every minute until cancelled.
    package func run(_ metrics: @Sendable () async -> MetricsReading) async {
        while !Task.isCancelled {
            add(await metrics())
            save()
            try? await clock.sleep(seconds: Self.intervalSeconds)
        }
    }

    /// Adds the growth of the counters since the last reading to the present hour.
    package func add(_ metrics: MetricsReading) {
        let refused = Int(metrics.sum("ipnd_refusals_total"))
        let failed = metrics.all("ipnd_delivery_attempts_total")
            .filter { $0.labels["outcome"] != "delivered" }.reduce(0) { $0 + Int($1.value) }
        let number = clock.coarseWallSeconds / 3600
        state.withLock { state in
            let growth = (max(0, refused - state.refused), max(0, failed - state.failed))
            // Two readings may arrive in the other order: an older one must not count again.
            state.refused += growth.0
            state.failed += growth.1
            guard growth != (0, 0) else { return }
            if state.hours.last?.number != number { state.hours.append(Hour(number: number)) }
            state.hours[state.hours.count - 1].refused += growth.0
            state.hours[state.hours.count - 1].failed += growth.1
            state.hours.removeFirst(max(0, state.hours.count - Self.hoursMax))
        }
    }

    /// The counts of the last `count` hours, the present one last.
    func last(_ count: Int) -> [Hour] {
        let now = clock.coarseWallSeconds / 3600
        let hours = state.withLock { $0.hours }
        return (now - count + 1...now).map { number in
            // A clock that was set back may have left the same hour twice.
            hours.filter { $0.number == number }.reduce(into: Hour(number: number)) {
                $0.refused += $1.refused
                $0.failed += $1.failed
            }
        }
    }

    /// Replaces the file, if anything has changed. Without it, the figures only begin anew at a
    /// restart, so a failure is not reported.
    package func save() {
        let hours = state.withLock { state -> [Hour]? in
            guard state.hours != state.saved else { return nil }
            state.saved = state.hours
            return state.hours
        }
        guard let hours else { return }
        let bytes = JSONWriter.object { json in
            json.array("hours", hours) { json, hour in
                json.member("hour", hour.number)
                json.member("refused", hour.refused)
                json.member("failed", hour.failed)
            }
        }
        if mkdir(folder, 0o700) != 0, errno != EEXIST { return }
        let fresh = "\(file).new"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = Glibc.open(fresh, flags, 0o600)
        guard descriptor >= 0 else { return }
        let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count
        Glibc.close(descriptor)
        if isWritten { rename(fresh, file) }
    }

    private static func items(of root: JSONValue) -> [JSONValue] {
        root["hours"].map { Array($0.elements) } ?? []
    }

    private static func read(_ file: String) -> [Hour] {
        guard let contents = try? FileContents(path: file, bytesMax: fileBytesMax),
            let root = try? JSONDocument(parsing: contents.bytes).root
        else { return [] }
        var hours: [Hour] = []
        for item in items(of: root) {
            guard let number = item["hour"]?.int64, let refused = item["refused"]?.int64,
                let failed = item["failed"]?.int64
            else { continue }
            hours.append(
                Hour(number: Int(number), refused: Int(refused), failed: Int(failed)))
        }
        return Array(hours.suffix(hoursMax))
    }
}

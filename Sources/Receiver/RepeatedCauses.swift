import Platform
import Synchronization

/// The cause of a log line. Repetitions of a cause are counted, not logged.
package struct LogCause: Hashable, Sendable {
    /// Level of the first line, and of the line with the count.
    package let level: String
    /// Empty if no endpoint is concerned.
    package let endpoint: String
    package let reason: String

    package init(level: String, endpoint: String, reason: String) {
        self.level = level
        self.endpoint = endpoint
        self.reason = reason
    }
}

/// Keeps a repeated cause, such as a wrong key, a scanner or a full disk, from filling the log. Its
/// first line is logged, those of the following seconds are counted, and the count is one line.
///
/// The program defines the reason codes and the configuration the endpoints, so the number of
/// causes is bounded.
package final class RepeatedCauses: Sendable {
    private struct Window {
        let end: MonotonicTime
        var repeats = 0
    }

    /// Time after a logged line in which its cause is only counted; 0 logs each line.
    let seconds: Int
    private let clock: any Clock
    private let reportCount: @Sendable (LogCause, Int) -> Void
    private let windows = Mutex<[LogCause: Window]>([:])

    /// - Parameter reportCount: Called once for each window with the number of repetitions.
    package init(
        seconds: Int, clock: any Clock, reportCount: @escaping @Sendable (LogCause, Int) -> Void
    ) {
        self.seconds = seconds
        self.clock = clock
        self.reportCount = reportCount
    }

    /// Whether to log `cause` now. Otherwise it is counted, and the count is reported later.
    package func shouldLog(_ cause: LogCause) -> Bool {
        guard seconds > 0 else { return true }
        let now = clock.now
        let (isFirst, isFirstRepeat) = windows.withLock { windows in
            guard var window = windows[cause], now < window.end || window.repeats > 0 else {
                windows[cause] = Window(end: now.advanced(seconds: seconds))
                return (true, false)
            }
            window.repeats += 1
            windows[cause] = window
            return (false, window.repeats == 1)
        }
        if isFirstRepeat {
            Task(executorPreference: WorkerPool.shared) { [self] in
                try? await clock.sleep(until: now.advanced(seconds: seconds))
                endWindow(of: cause)
            }
        }
        return isFirst
    }

    /// Reports the number of repetitions of `cause`, and logs it again the next time.
    func endWindow(of cause: LogCause) {
        let window = windows.withLock { $0.removeValue(forKey: cause) }
        if let window, window.repeats > 0 { reportCount(cause, window.repeats) }
    }
}

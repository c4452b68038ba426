import Platform
import Synchronization

/// What a log line is about: a cause that repeats gets one line, and one more that counts.
package struct LogCause: Hashable, Sendable {
    /// Of the first line, and of the count.
    package let level: String
    /// Empty where no endpoint is concerned.
    package let endpoint: String
    package let reason: String

    package init(level: String, endpoint: String, reason: String) {
        self.level = level
        self.endpoint = endpoint
        self.reason = reason
    }
}

/// Keeps one cause that repeats, be it a wrong key, a scanner or a full disk, from filling the log:
/// its first line is told, those of the following seconds are counted, and the count is one line.
///
/// Reason codes and endpoints are ours, so their number is bounded.
package final class RepeatedCauses: Sendable {
    private struct Window {
        let end: MonotonicTime
        var repeats = 0
    }

    /// How long lines are counted after one that was told; 0 tells each.
    let seconds: Int
    private let clock: any Clock
    private let tellCount: @Sendable (LogCause, Int) -> Void
    private let windows = Mutex<[LogCause: Window]>([:])

    /// - Parameter tellCount: Called with how often a cause was met again, once for each window.
    package init(
        seconds: Int, clock: any Clock, tellCount: @escaping @Sendable (LogCause, Int) -> Void
    ) {
        self.seconds = seconds
        self.clock = clock
        self.tellCount = tellCount
    }

    /// Whether `cause` is told now. If not, it is counted, and the count told later.
    package func isNews(_ cause: LogCause) -> Bool {
        guard seconds > 0 else { return true }
        let now = clock.now
        let (isNews, isFirstRepeat) = windows.withLock { windows in
            guard var window = windows[cause], now < window.end || window.repeats > 0 else {
                windows[cause] = Window(end: now.advanced(seconds: seconds))
                return (true, false)
            }
            window.repeats += 1
            windows[cause] = window
            return (false, window.repeats == 1)
        }
        if isFirstRepeat {
            Task { [self] in
                try? await clock.sleep(until: now.advanced(seconds: seconds))
                endWindow(of: cause)
            }
        }
        return isNews
    }

    /// Tells how often `cause` was met again; the next time it is news.
    func endWindow(of cause: LogCause) {
        let window = windows.withLock { $0.removeValue(forKey: cause) }
        if let window, window.repeats > 0 { tellCount(cause, window.repeats) }
    }
}

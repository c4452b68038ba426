import Logging
import Platform
import Receiver

/// Warnings of a thread that tries again and again: each is logged once, and its repetitions are
/// counted in one line for each `log.repeatSeconds`.
final class RepeatedWarnings: Sendable {
    private let causes: RepeatedCauses
    private let logger: Logger

    init(seconds: Int, _ logger: Logger, clock: any Clock) {
        self.logger = logger
        causes = RepeatedCauses(seconds: seconds, clock: clock) { cause, count in
            logger.warning("\(cause.reason) (\(count) more times in \(seconds) s)")
        }
    }

    /// - Parameter cause: The warnings that count as repetitions; nil for those of the same text.
    func warn(_ text: String, cause: String? = nil) {
        let cause = LogCause(level: "warning", endpoint: "", reason: cause ?? text)
        if causes.shouldLog(cause) { logger.warning("\(text)") }
    }
}

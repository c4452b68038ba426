import Providers

/// When a provider tries again.
package struct RetrySchedule: Sendable, Equatable {
    /// The pauses between attempts, the first one before the second attempt.
    package let pauses: [Duration]
    /// Whether the provider publishes them.
    package let isPublished: Bool

    package init(pauses: [Duration], isPublished: Bool) {
        self.pauses = pauses
        self.isPublished = isPublished
    }

    /// The sender's published schedule. Where there is none, one that nobody published stands for
    /// it, so that retrying can be tried at all: 1, 5 and 30 minutes, 2 hours, 12 hours.
    package init(_ sender: any Sender) {
        let published = sender.publishedRetrySchedule
        self.init(
            pauses: published.isEmpty
                ? [.seconds(60), .seconds(300), .seconds(1800), .seconds(7200), .seconds(43_200)]
                : published,
            isPublished: !published.isEmpty)
    }

    /// The pause after attempt `attempt` (from 1); nil where it was the last.
    package func pause(after attempt: Int) -> Duration? {
        pauses.indices.contains(attempt - 1) ? pauses[attempt - 1] : nil
    }
}

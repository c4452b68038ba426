import Journal

/// When sealed segments leave the journal's directory, and where they go.
package struct JournalRetention: Sendable, Equatable {
    /// How long a sealed segment stays, in days.
    package var days: Int
    package var disposal: Retention.Disposal

    package init(days: Int, disposal: Retention.Disposal = .archive) {
        self.days = days
        self.disposal = disposal
    }
}

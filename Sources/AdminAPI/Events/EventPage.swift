/// Records of the journal, one after the other, as they stand there.
struct EventPage: Sendable {
    struct Event: Sendable {
        let sequence: UInt64
        /// One JSON object without line breaks.
        let record: [UInt8]
    }

    var events: [Event] = []
    /// The sequence to go on after.
    var next: UInt64
    /// Where the page was asked to begin.
    let after: UInt64

    init(after: UInt64) {
        self.after = after
        next = after
    }

    /// Records that were asked for and are no longer kept: retention has deleted them.
    var gap: ClosedRange<UInt64>? {
        guard let first = events.first?.sequence, first > after + 1 else { return nil }
        return (after + 1)...(first - 1)
    }

    /// What one page holds at most, whatever was asked for.
    static let countMax = 1000
    static let bytesMax = 4 << 20
}

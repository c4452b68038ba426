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

    /// What one page holds at most, whatever was asked for.
    static let countMax = 1000
    static let bytesMax = 4 << 20
}

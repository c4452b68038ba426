import Journal

/// Reads old records for those who are behind. A reader that goes on where it stopped finds its
/// place again; any other place costs a walk through its segment.
actor EventHistory {
    /// Thrown through the journal's reader when the page is full.
    private struct PageIsFull: Error {}

    private static let readersMax = 16

    private let directory: String
    /// The one used last stands last.
    private var readers: [JournalReader] = []

    init(directory: String) { self.directory = directory }

    /// What follows `sequence`, as far as `durable`. Throws what `JournalReader` throws.
    func page(
        after sequence: UInt64, limit: Int, bytesMax: Int, durable: UInt64
    ) throws -> EventPage {
        var reader = try takeReader(at: sequence)
        var page = EventPage(after: sequence)
        var bytes = 0
        do {
            _ = try reader.read(limit: min(limit, Int(clamping: durable - sequence))) {
                page.events.append(EventPage.Event(sequence: $0, record: [UInt8]($1)))
                page.next = $0
                bytes += $1.count
                if bytes >= bytesMax { throw PageIsFull() }
            }
        } catch is PageIsFull {}
        if readers.count == Self.readersMax { readers.removeFirst() }
        readers.append(reader)
        return page
    }

    private func takeReader(at sequence: UInt64) throws -> JournalReader {
        if let index = readers.lastIndex(where: { $0.lastSequence == sequence }) {
            return readers.remove(at: index)
        }
        return try Self.reader(directory, after: sequence)
    }

    /// A reader that gives out every whole frame: the caller knows what is durable.
    static func reader(
        _ directory: String, after sequence: UInt64, followsChain: Bool = true
    ) throws -> JournalReader {
        var options = JournalOptions()
        options.windowBytes = 256 << 10
        return try JournalReader(
            directory: directory, after: sequence, followsChain: followsChain, options: options)
    }
}

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

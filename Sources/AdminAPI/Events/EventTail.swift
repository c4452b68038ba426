/// The newest records, so that readers who keep up share one look at the journal.
struct EventTail {
    private var events: [EventPage.Event] = []
    /// Index of the first one that is still wanted; those before are cut off in bulk.
    private var start = 0
    private var bytes = 0
    private let bytesMax: Int

    init(bytesMax: Int = 8 << 20) { self.bytesMax = bytesMax }

    /// The last sequence that is here.
    var last: UInt64? { events.last?.sequence }

    mutating func append(_ event: EventPage.Event) {
        events.append(event)
        bytes += event.record.count
        while bytes > bytesMax, start < events.count - 1 {
            bytes -= events[start].record.count
            start += 1
        }
        if start > 1024, start > events.count / 2 {
            events.removeFirst(start)
            start = 0
        }
    }

    /// What follows `sequence`; nil when the tail does not reach back so far.
    func page(
        after sequence: UInt64, limit: Int, bytesMax: Int = EventPage.bytesMax
    ) -> EventPage? {
        guard start < events.count, events[start].sequence <= sequence + 1 else { return nil }
        // Sequences have no gaps, so the place is their difference.
        let from = start + Int(sequence + 1 - events[start].sequence)
        var page = EventPage(after: sequence)
        var bytes = 0
        for event in events[min(from, events.count)...].prefix(limit) {
            page.events.append(event)
            page.next = event.sequence
            bytes += event.record.count
            if bytes >= bytesMax { break }
        }
        return page
    }
}

import Store

extension DeliveryWorker {
    /// Reads these records again and gives them to the plan. Returns the number that it took.
    func resend(_ sequences: [UInt64]) async -> Int {
        let generation = generation
        var count = 0
        for sequence in sequences {
            let page = try? await feed.source.page(
                after: sequence - min(sequence, 1), through: sequence, limit: 1,
                bytesMax: RecordPage.bytesMax)
            guard generation == self.generation else { return 0 }
            guard let record = page?.records.first, record.sequence == sequence,
                let event = try? FeedEvent(record.bytes), destination.filter.admits(event)
            else { continue }
            let isTaken = plan?.resend(
                sequence, of: event.orders, byteCount: event.record.count,
                received: event.received.microseconds)
            guard isTaken == true else { continue }
            events[sequence] = event
            count += 1
        }
        return count
    }
}

import Store

extension DeliveryWorker {
    /// What one page of the feed holds at most.
    private static let pageRecordsMax = 512
    private static let pageBytesMax = 1 << 20

    /// Takes from the feed what there is room for.
    func read() async {
        guard let isWorthReading = plan?.isWorthReading, unwritten == nil, isWorthReading else {
            return
        }
        guard now() >= nextRead else { return wake(at: nextRead) }
        let generation = generation
        do throws(ReadFailure) {
            // The plan itself is not held here: changing it would copy it.
            while let (position, room) = plan.map({ ($0.position, $0.room) }), room > 0,
                !isStopping, generation == self.generation
            {
                var last = commitFeed.durableSequence
                if position >= last {
                    last = try await source.lastSequence(expecting: position)
                    guard generation == self.generation else { return }
                    if position > last { return rewind(to: last) }
                    guard position < last else { break }
                }
                let page = try await source.page(
                    after: position, through: last, limit: min(room, Self.pageRecordsMax),
                    bytesMax: Self.pageBytesMax)
                // The lease may have been lost while the page was read.
                guard !page.records.isEmpty, generation == self.generation else { break }
                try take(page)
                send()
            }
            readTrouble = nil
        } catch {
            let sentence = "\(error.reason): \(error.detail)"
            if readTrouble == nil { report(.unreadable(sentence)) }
            readTrouble = sentence
            nextRead = now() + Self.retryMicroseconds
            wake(at: nextRead)
        }
    }

    private func take(_ page: RecordPage) throws(ReadFailure) {
        guard plan?.position == page.after else { return }
        if let gap = page.gap {
            counters.missed += UInt64(gap.count)
            report(.gap(gap))
        }
        isTouched = true
        for record in page.records {
            let event: FeedEvent?
            do { event = try FeedEvent(record.bytes) } catch {
                // Damage is never skipped: the destination stands still, which is alarmed of.
                throw ReadFailure("record_unreadable", "record \(record.sequence): \(error)")
            }
            guard let event, destination.filter.admits(event) else {
                plan?.skip(to: record.sequence)
                continue
            }
            let isNew = plan?.take(
                event.sequence, of: event.orders, byteCount: event.record.count,
                received: event.received.microseconds)
            if isNew == true { events[event.sequence] = event }
        }
    }

    /// The store has lost its end; what comes from now on has the same numbers.
    private func rewind(to last: UInt64) {
        guard let position = plan?.position else { return }
        report(.positionAhead(position: position, last: last))
        plan?.rewind(to: last)
        events = events.filter { $0.key <= last }
        isTouched = true
    }
}

import Payments
import Records
import Store

/// The recorded events that are to be delivered again.
package struct ResendQuery: Sendable, Equatable {
    /// Nil for every destination.
    package var destination: String?
    /// Only these records, ascending; nil for all.
    package var sequences: [UInt64]?
    package var endpoint: String?
    /// The order's status after the event.
    package var status: String?
    /// When the store got them: from, inclusive, and to, exclusive.
    package var from: Timestamp?
    package var to: Timestamp?

    package init() {}

    func admits(_ event: FeedEvent) -> Bool {
        endpoint.map { event.endpoint.isExactly($0) } ?? true
            && status.map { event.status.isExactly($0) } ?? true
            && from.map { event.received >= $0 } ?? true
            && to.map { event.received < $0 } ?? true
    }
}

/// Events that are delivered again, of those that match.
package struct ResendCount: Sendable, Equatable {
    package var matched = 0
    package var changed = 0
}

extension DeliveryService {
    /// Events in one command.
    private static let commandMax = 256
    /// Records were received in the order of their sequences, apart from this.
    private static let disorderMicroseconds: Int64 = 60_000_000

    /// Delivers events again, with a new set of attempts: those that pass the filter of the
    /// destination and do not wait for it already. Where a destination has no room for more, the
    /// rest is left out.
    ///
    /// - Parameter isDry: Only count.
    package func resend(
        _ query: ResendQuery, isDry: Bool
    ) async throws(DeliveryCommandFailure) -> ResendCount {
        let chosen = try destinations(query.destination)
        var count = ResendCount()
        try await forEachPage(query) { events throws(DeliveryCommandFailure) in
            for destination in chosen {
                let sequences = events.filter { destination.filter.admits($0) }.map(\.sequence)
                count.matched += sequences.count
                guard !isDry else { continue }
                for start in stride(from: 0, to: sequences.count, by: Self.commandMax) {
                    let part = sequences[start..<min(start + Self.commandMax, sequences.count)]
                    count.changed += try await perform(.resend(Array(part)), on: destination.name)
                }
            }
        }
        return count
    }

    /// Calls `body` with the events that match, page by page.
    private func forEachPage(
        _ query: ResendQuery,
        _ body: ([FeedEvent]) async throws(DeliveryCommandFailure) -> Void
    ) async throws(DeliveryCommandFailure) {
        if let sequences = query.sequences {
            var found: [FeedEvent] = []
            for sequence in sequences where sequence > 0 {
                guard let event = try await event(sequence), query.admits(event) else { continue }
                found.append(event)
            }
            return try await body(found)
        }
        let last = commitFeed.durableSequence
        var after = try await start(query.from, last)
        while after < last {
            let records = try await records(after: after, through: last, limit: RecordPage.countMax)
            guard let end = records.last?.sequence else { return }
            var events: [FeedEvent] = []
            for record in records {
                if let event = try Self.event(record) { events.append(event) }
            }
            try await body(events.filter(query.admits))
            if let to = query.to, let newest = events.map(\.received.microseconds).min(),
                newest > to.microseconds + Self.disorderMicroseconds
            {
                return
            }
            after = end
        }
    }

    /// The record after which those of a time begin, found by halving.
    private func start(
        _ time: Timestamp?, _ last: UInt64
    ) async throws(DeliveryCommandFailure) -> UInt64 {
        guard let time else { return 0 }
        let wanted = time.microseconds - Self.disorderMicroseconds
        var (low, high): (UInt64, UInt64) = (0, last)
        while low < high {
            let middle = low + (high - low) / 2
            guard let record = try await records(after: middle, through: last, limit: 1).first,
                let received = Self.received(record)
            else { return low }
            if received < wanted {
                low = record.sequence
            } else {
                high = middle
            }
        }
        return low
    }

    /// The event of a record; nil where it is about no order, or not recorded.
    func event(_ sequence: UInt64) async throws(DeliveryCommandFailure) -> FeedEvent? {
        guard sequence > 0, sequence <= commitFeed.durableSequence else { return nil }
        let record = try await records(after: sequence - 1, through: sequence, limit: 1)
            .first { $0.sequence == sequence }
        return try record.flatMap { record throws(DeliveryCommandFailure) in
            try Self.event(record)
        }
    }

    private func records(
        after: UInt64, through last: UInt64, limit: Int
    ) async throws(DeliveryCommandFailure) -> [RecordPage.Record] {
        do throws(ReadFailure) {
            return try await source.page(
                after: after, through: last, limit: limit, bytesMax: RecordPage.bytesMax
            ).records
        } catch {
            throw .state(.unavailable("\(error.reason): \(error.detail)"))
        }
    }

    private static func event(
        _ record: RecordPage.Record
    ) throws(DeliveryCommandFailure) -> FeedEvent? {
        do { return try FeedEvent(record.bytes) } catch {
            throw .state(.unavailable("record \(record.sequence): \(error)"))
        }
    }

    /// When the store got a record, also one that no destination receives.
    private static func received(_ record: RecordPage.Record) -> Int64? {
        record.bytes.withUnsafeBytes { bytes in
            guard let reader = try? RecordReader(bytes, []) else { return nil }
            return reader.received.flatMap { reader.moment($0) }?.microseconds
        }
    }
}

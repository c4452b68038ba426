import Delivery
import Payments
import Platform
import Records
import Store

/// Erases the personal parts of all records that were received before a time.
package struct AgeErasure: Sendable {
    private let acts: ActRecorder
    private let records: any RecordSource
    private let keys: RecordKeys?
    private let deliveries: DeliveryService?
    private let rejections: RejectionEraser

    private static let microsecondsPerDay: Int64 = 86_400_000_000

    /// - Parameter keys: Those of the store; nil while records are stored as they are.
    package init(
        store: any Store, records: any RecordSource, keys: RecordKeys?,
        endpoints: EndpointCatalog, deliveries: DeliveryService?, rejections: RejectionEraser,
        clock: any Clock
    ) {
        self.init(
            acts: ActRecorder(store: store, endpoints: endpoints, clock: clock),
            records: records, keys: keys, deliveries: deliveries, rejections: rejections)
    }

    init(
        acts: ActRecorder, records: any RecordSource, keys: RecordKeys?,
        deliveries: DeliveryService?, rejections: RejectionEraser
    ) {
        self.acts = acts
        self.records = records
        self.keys = keys
        self.deliveries = deliveries
        self.rejections = rejections
    }

    /// Erases what is older than this, and records that it did; nothing where there is nothing new
    /// to erase.
    ///
    /// Throws `not_sealed` where any of it is stored as it is.
    ///
    /// - Parameter now: Nil for the wall clock's time.
    package func erase(
        olderThanDays days: Int, at now: Timestamp? = nil, by caller: AdminCaller, reason: String
    ) async throws(Problem) -> ErasureAnswer {
        var answer = ErasureAnswer()
        let now = now ?? acts.clock.timestamp
        let limit = Timestamp(
            microseconds: now.microseconds - Int64(days) * Self.microsecondsPerDay)
        answer.note(rejections: rejections.eraseBefore(limit))
        guard let ring = keys?.current else { throw Problem(.notSealed) }
        let erased = ErasedRecords(through: try await last(before: limit))
        guard !erased.ranges.isEmpty, ring.hasKey(in: erased.ranges) else { return answer }
        guard try await !isPlain(erased) else { throw Problem(.notSealed) }
        answer.sequence = try await acts.note(
            .init(
                kind: .erase, caller: caller, reason: reason,
                parameters: RecordedAction.parameters(erasing: erased)))
        answer.records = erased.count
        answer.unreached += ErasureRoutes.unreached
        await answer.removeAnswers(of: deliveries, about: erased)
        return answer
    }

    /// When the newest record was received; nil where there is none.
    package func newest() async throws(Problem) -> Timestamp? {
        let last = acts.store.commitFeed.durableSequence
        guard last > 0, let record = try await page(after: last - 1, limit: 1).first else {
            return nil
        }
        return (try? RecordDecoder.event(record.bytes))?.received
    }

    /// The last record that was received before `time`; 0 if there is none. Records are in the
    /// order in which they were received.
    private func last(before time: Timestamp) async throws(Problem) -> UInt64 {
        var (low, high): (UInt64, UInt64) = (0, acts.store.commitFeed.durableSequence)
        while low < high {
            let middle = low + (high - low + 1) / 2
            let found = try await page(after: middle - 1, limit: 1).first
            if let found, found.sequence <= high, let event = try? RecordDecoder.event(found.bytes),
                event.received < time
            {
                low = found.sequence
            } else {
                high = middle - 1
            }
        }
        return low
    }

    /// Whether any of the first records is stored as it is. Sealing begins at one record, and all
    /// later ones are sealed.
    private func isPlain(_ erased: ErasedRecords) async throws(Problem) -> Bool {
        try await page(after: 0, limit: RecordPage.countMax).contains { record in
            erased.contains(record.sequence)
                && (try? PersonalPart.isPlain(record.bytes)) ?? true
        }
    }

    private func page(
        after sequence: UInt64, limit: Int
    ) async throws(Problem) -> [RecordPage.Record] {
        do throws(ReadFailure) {
            return try await records.page(
                after: sequence, through: acts.store.commitFeed.durableSequence, limit: limit,
                bytesMax: RecordPage.bytesMax
            ).records
        } catch {
            throw Problem(error)
        }
    }
}

/// The time of erasures by configuration. As with the journal's retention, the wall clock alone
/// is not trusted: a jump ten years ahead would destroy all keys at once, and for good.
///
/// It begins a day after the newest record at most, is never ahead of the wall clock, and advances
/// at most twice as fast as the monotonic clock. A lag only means that data is kept longer.
package struct ErasureClock: Sendable {
    private let base: Int64
    private let began: MonotonicTime
    private let clock: any Clock

    private static let microsecondsPerDay: Int64 = 86_400_000_000

    /// - Parameter newest: When the newest record was received.
    package init(newest: Timestamp, clock: any Clock) {
        base = min(clock.wallMicroseconds, newest.microseconds + Self.microsecondsPerDay)
        began = clock.now
        self.clock = clock
    }

    package var now: Timestamp {
        let passed = Int64(clock.now.nanoseconds(since: began) / 1000)
        return Timestamp(microseconds: min(clock.wallMicroseconds, base + 2 * passed))
    }
}

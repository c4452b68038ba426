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
    package func erase(
        olderThanDays days: Int, by caller: AdminCaller, reason: String
    ) async throws(Problem) -> ErasureAnswer {
        var answer = ErasureAnswer()
        let now = acts.clock.timestamp
        let limit = Timestamp(
            microseconds: now.microseconds - Int64(days) * Self.microsecondsPerDay)
        answer.rejections = rejections.eraseBefore(limit) ?? 0
        guard let ring = keys?.current else { throw Problem(.notSealed) }
        let erased = ErasedRecords(through: try await last(before: limit))
        guard !erased.ranges.isEmpty, ring.hasKey(in: erased.ranges) else { return answer }
        guard try await !isPlain(erased) else { throw Problem(.notSealed) }
        answer.sequence = try await acts.note(
            .init(
                kind: .erase, caller: caller, reason: reason,
                parameters: RecordedAction.parameters(erasing: erased)))
        answer.records = erased.count
        answer.unreached = ErasureRoutes.unreached
        do throws(DeliveryStateFailure) {
            answer.answers = try await deliveries?.removeAnswers(about: erased.ranges) ?? 0
        } catch {
            answer.unreached.append(
                "the answers of your systems in the delivery state (\(error)): erase again")
        }
        return answer
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

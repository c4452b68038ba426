import Ledger
import Payments
import Records
import Store
import Synchronization

/// The durable tables and the batch that is laid over them: all that a decision needs.
struct JournalLedger {
    var tables: StoreTables
    var batch: PendingBatch
    private var endpoint: (name: String, number: UInt16)?
    /// The hashes of the submissions looked ahead to, at the places of their tasks.
    private var hashes: [NotificationHashes?] = []
    /// Keeps the compiler from removing the reads of `lookAhead(_:)`.
    private var prefetched: UInt64 = 0

    /// Number of submissions that are looked ahead: their reads overlap, and their data is still in
    /// the processor's cache when they are decided.
    static let submissionsAheadMax = 64

    /// - Parameter factsMax: Most facts that one order holds.
    init(_ tables: consuming StoreTables, factsMax: Int) {
        batch = PendingBatch(function: tables.function, factsMax: factsMax)
        self.tables = tables
    }

    /// Prepares the decisions on the submissions among these tasks, at most
    /// `submissionsAheadMax`.
    mutating func lookAhead(_ tasks: ArraySlice<CommitterTask>) {
        hashes.removeAll(keepingCapacity: true)
        for task in tasks {
            guard case .record(let queued, _) = task else {
                hashes.append(nil)
                continue
            }
            let endpoint = number(of: queued.submission.endpoint)
            hashes.append(queued.hashes(&batch.keys, endpoint: endpoint))
        }
        prefetchTables()
    }

    /// A separate loop: no read in it waits for another.
    private mutating func prefetchTables() {
        for case .some(let hashes) in hashes { prefetched &+= tables.prefetch(hashes) }
    }

    /// Decides on a submission that was looked ahead to, at this place among the tasks.
    mutating func decide(
        _ submission: Submission, at place: Int, sequence: UInt64
    ) -> EventDecision {
        guard let hashes = hashes[place] else { preconditionFailure("no submission is there") }
        return batch.decide(submission.notification, hashes, sequence: sequence, in: tables)
    }

    /// Prepares the decisions on the events of one request: their hashes, in their order.
    mutating func lookAhead(_ events: [QueuedSubmission]) -> [NotificationHashes] {
        let endpoint = number(of: events[0].submission.endpoint)
        let hashes = events.map { $0.hashes(&batch.keys, endpoint: endpoint) }
        for hashes in hashes { prefetched &+= tables.prefetch(hashes) }
        return hashes
    }

    /// Decides on a submission with these hashes.
    mutating func decide(
        _ submission: Submission, _ hashes: NotificationHashes, sequence: UInt64
    ) -> EventDecision {
        batch.decide(submission.notification, hashes, sequence: sequence, in: tables)
    }

    /// Decides on a registration, whose metadata is sealed first.
    mutating func decide(
        _ registration: inout Registration, sealing sealer: inout RecordSealer?, sequence: UInt64
    ) -> RegistrationDecision {
        let given = registration
        if sealer != nil { registration.sealMetadata(by: &sealer!, as: sequence) }
        let decision = decide(registration, sequence: sequence)
        switch consume decision {
        case .differs(let original):
            // The same may have been registered before records were sealed.
            if sealer != nil, !given.metadata.isEmpty,
                case .same(let earlier) = decide(given, sequence: sequence)
            {
                return .same(as: earlier)
            }
            return .differs(from: original)
        case .same(let original): return .same(as: original)
        case .refused(let refusal): return .refused(refusal)
        case .record(let change): return .record(change)
        }
    }

    private mutating func decide(
        _ registration: Registration, sequence: UInt64
    ) -> RegistrationDecision {
        batch.decide(
            registration.registered, reference: registration.reference,
            endpoint: number(of: registration.endpoint), sequence: sequence, in: tables)
    }

    /// Decides on an act. The metadata of what it registers is sealed first.
    mutating func decide(
        _ act: inout Act, sealing sealer: inout RecordSealer?, sequence: UInt64
    ) -> ActionDecision {
        if sealer != nil { act.sealMetadata(by: &sealer!, as: sequence) }
        return batch.decide(
            act.action, act.demand, endpoint: number(of: act.endpoint), sequence: sequence,
            in: tables)
    }

    /// Applies the events of stored records at these places, at most `submissionsAheadMax` at a
    /// time, and takes them away: an event that stays in the array would be copied, with some ten
    /// references, at every use.
    mutating func apply(_ events: inout [RecordedEvent?], _ places: Range<Int>) {
        hashes.removeAll(keepingCapacity: true)
        for place in places {
            guard let event = events[place].take() else {
                hashes.append(nil)
                continue
            }
            let endpoint = number(of: event.endpoint)
            hashes.append(batch.keys.hashes(of: event.notification, endpoint))
            events[place] = consume event
        }
        prefetchTables()
        for (place, hashes) in zip(places, hashes) {
            guard let event = events[place].take(), let hashes else { continue }
            tables.apply(Self.decide(event, hashes, &batch, tables))
            tables.advance(to: event.sequence, received: event.received)
        }
    }

    /// Separate from the loop, so that the tables are borrowed and not copied.
    private static func decide(
        _ event: RecordedEvent, _ hashes: NotificationHashes,
        _ batch: inout PendingBatch, _ tables: borrowing StoreTables
    ) -> EventChange {
        batch.decide(event, hashes, in: tables)
    }

    /// Whether the record with `sequence` belongs to the batch, and so is not durable yet.
    func isPending(_ sequence: UInt64) -> Bool { sequence > tables.sequence }

    /// Applies the batch, which is durable, to the tables.
    mutating func applyBatch() { batch.apply(to: &tables) }

    /// Consecutive submissions mostly come from one endpoint.
    private mutating func number(of name: String) -> UInt16 {
        if let endpoint, endpoint.name == name { return endpoint.number }
        let number = tables.endpoints.number(of: name)
        endpoint = (name, number)
        return number
    }
}

/// The order rows of the newest durable records, for one follower in this process: while it keeps
/// up, it need not read back what was just written.
///
/// The committer adds, the follower takes. When it takes too rarely, all is dropped and it has to
/// read the stored records.
package final class RecentOrders: Sendable {
    /// In pieces: one that grows is copied, and the committer would wait for megabytes.
    private let durable = Mutex<[OrderRows]>([])
    private let followed = Atomic<Bool>(false)
    private let bytesMax: Int
    private static let pieceBytes = 64 << 10

    package init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Whether a follower takes what is added.
    package var isFollowed: Bool { followed.load(ordering: .relaxed) }

    /// Adds the rows of records that have become durable.
    package func publish(_ rows: OrderRows) {
        if rows.isEmpty { return }
        durable.withLock { pieces in
            let bytes = pieces.reduce(rows.byteCount) { $0 + $1.byteCount }
            let isNext = pieces.last.map { $0.isEmpty || $0.end == rows.first } ?? true
            if bytes > bytesMax || !isNext { pieces.removeAll() }
            if (pieces.last?.byteCount ?? Self.pieceBytes) >= Self.pieceBytes {
                pieces.append(OrderRows())
            }
            pieces[pieces.count - 1].append(rows)
        }
    }

    /// From now on records are added.
    package func follow() { followed.store(true, ordering: .relaxed) }

    /// Exchanges `rows` for all rows that are there.
    ///
    /// Every record that `CommitFeed` had called durable before this call, and that was added at
    /// all, is either in it, or was taken before, or was dropped.
    package func take(_ rows: inout OrderRows) {
        rows.removeAll()
        let pieces = durable.withLock { pieces -> [OrderRows] in
            if pieces.count == 1 {
                swap(&pieces[0], &rows)
                return []
            }
            defer { pieces = [] }
            return pieces
        }
        for piece in pieces { rows.append(piece) }
    }
}

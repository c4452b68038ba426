import Ledger
import Payments
import Records
import Store

/// The decisions on a batch's tasks, over the loaded rows. Nothing is written yet.
struct BatchDecisions {
    private(set) var receipts: [Receipt] = []
    private(set) var changes: BatchChanges
    private(set) var changed: [OrderName] = []
    /// The records whose keys are destroyed with the batch.
    private(set) var erased: [ErasedRecords] = []

    private let loaded: WorkingSet
    private var batch: PendingBatch
    private let recordBytesMax: Int
    private let partitionEvents: UInt64
    private var next: UInt64
    /// Seals the records; nil while they are stored as they are.
    private(set) var sealer: RecordSealer?

    /// - Parameters:
    ///   - head: The last sequence before the batch.
    ///   - partitionEvents: Number of sequences in a partition of the events.
    init(
        after head: UInt64, over loaded: WorkingSet, function: SipHash, factsMax: Int,
        recordBytesMax: Int, partitionEvents: UInt64, sealer: RecordSealer?
    ) {
        self.sealer = sealer
        self.partitionEvents = partitionEvents
        self.loaded = loaded
        self.recordBytesMax = recordBytesMax
        next = head + 1
        changes = BatchChanges(first: next, over: loaded)
        batch = PendingBatch(function: function, factsMax: factsMax)
    }

    /// Decides on a task. False if it is a request with an event that cannot be recorded: these
    /// decisions are of no use then.
    ///
    /// - Parameter hashes: The notification's hashes; nil if the task has none.
    mutating func decide(
        _ task: BatchTask, _ endpoint: UInt16, _ hashes: NotificationHashes?
    ) -> Bool {
        switch task.content {
        case .submission(let queued):
            let known =
                hashes ?? batch.keys.hashes(of: queued.submission.notification, endpoint)
            var holder: UInt64?
            receipts.append(decide(queued.submission, known, &holder))
        case .request(let events):
            var holder: UInt64?
            for event in events {
                let hashes = event.hashes(&batch.keys, endpoint)
                let receipt = decide(event.submission, hashes, &holder)
                if case .refused = receipt.outcome { return false }
                receipts.append(receipt)
            }
        case .registration(let registration): receipts.append(decide(registration, endpoint))
        case .act(let act): receipts.append(decide(act, endpoint))
        case .confirmation: receipts.append(Receipt(.duplicate(of: next - 1)))
        }
        return true
    }

    /// Refuses all events of a task.
    mutating func refuse(_ task: BatchTask, _ refusal: StoreRefusal) {
        for _ in 0..<task.count { receipts.append(Receipt(.refused(refusal))) }
    }

    /// Applies all decisions to the changes.
    mutating func finish() { batch.apply(to: &changes) }

    /// - Parameter holder: The record that holds the request of several events, once there is one.
    private mutating func decide(
        _ submission: Submission, _ hashes: NotificationHashes, _ holder: inout UInt64?
    ) -> Receipt {
        let decision = batch.decide(
            submission.notification, hashes, sequence: next, in: loaded)
        switch consume decision {
        case .duplicate(let original):
            return Receipt(
                .duplicate(of: original), reference: submission.notification.reference)
        case .record(let change):
            // Each partition has the request, because retention drops them one by one.
            if next % partitionEvents == 0 { holder = nil }
            guard let record = encode(change, submission, heldBy: holder) else {
                return Receipt(.refused(.recordTooLong))
            }
            holder = holder ?? next
            let receipt = Receipt(change)
            changes.append(record, change, hashes.endpoint, received: submission.received)
            accept(change, submission.endpoint, submission.received)
            return receipt
        }
    }

    private mutating func decide(_ given: Registration, _ endpoint: UInt16) -> Receipt {
        var registration = given
        if sealer != nil { registration.sealMetadata(by: &sealer!, as: next) }
        switch decision(on: registration, endpoint) {
        case .same(let original):
            return Receipt(.duplicate(of: original), reference: registration.reference)
        case .differs(let original):
            // The same may have been registered before records were sealed.
            if sealer != nil, !given.metadata.isEmpty,
                case .same(let earlier) = decision(on: given, endpoint)
            {
                return Receipt(.duplicate(of: earlier), reference: registration.reference)
            }
            return Receipt(.conflict(original), reference: registration.reference)
        case .refused(let denial): return Receipt(.denied(denial))
        case .record(let change):
            var record: [UInt8] = []
            let headEnd = RecordEncoder.append(change.content, of: registration, to: &record)
            sealer?.seal(&record, from: 0, headEnd: headEnd, of: next)
            guard record.count <= recordBytesMax else { return Receipt(.refused(.recordTooLong)) }
            let receipt = Receipt(change)
            changes.append(
                record, change, endpoint, received: registration.received,
                metadata: registration.metadata)
            accept(change, registration.endpoint, registration.received)
            return receipt
        }
    }

    private mutating func decision(
        on registration: Registration, _ endpoint: UInt16
    ) -> RegistrationDecision {
        batch.decide(
            registration.registered, reference: registration.reference, endpoint: endpoint,
            sequence: next, in: loaded)
    }

    private mutating func decide(_ given: Act, _ endpoint: UInt16) -> Receipt {
        if given.action.erased != nil, sealer == nil { return Receipt(.denied(.notSealed)) }
        var act = given
        if sealer != nil { act.sealMetadata(by: &sealer!, as: next) }
        let decision = batch.decide(
            act.action, act.demand, endpoint: endpoint, sequence: next, in: loaded)
        switch consume decision {
        case .refused(let denial): return Receipt(.denied(denial))
        case .record(let change, let action):
            var record: [UInt8] = []
            RecordEncoder.append(change.content, of: act, decided: action, to: &record)
            guard record.count <= recordBytesMax else { return Receipt(.refused(.recordTooLong)) }
            let receipt = Receipt(change)
            changes.append(
                record, change, endpoint, received: action.received,
                metadata: act.registered?.metadata ?? [])
            if let records = action.erased { erased.append(records) }
            accept(change, act.endpoint, action.received)
            return receipt
        }
    }

    private mutating func accept(
        _ change: consuming EventChange, _ endpoint: String, _ received: Timestamp
    ) {
        changed += change.names(in: endpoint)
        batch.accept(change, received: received)
        next += 1
    }

    /// Appends the encoded record. Escapes can make a body six times as long; Base64 makes it a
    /// third longer.
    private mutating func encode(
        _ change: borrowing EventChange, _ submission: Submission, heldBy holder: UInt64?
    ) -> [UInt8]? {
        for encodesBodyAsBase64 in [false, true] {
            var record: [UInt8] = []
            let headEnd = RecordEncoder.append(
                change.content, of: submission, heldBy: holder,
                encodesBodyAsBase64: encodesBodyAsBase64, to: &record)
            sealer?.seal(&record, from: 0, headEnd: headEnd, of: next)
            if record.count <= recordBytesMax { return record }
        }
        return nil
    }
}

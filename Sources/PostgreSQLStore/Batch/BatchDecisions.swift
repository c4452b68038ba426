import Ledger
import Payments
import Records
import Store

/// The decisions on a batch's tasks, over the loaded rows. Nothing is written yet.
struct BatchDecisions {
    private(set) var receipts: [Receipt] = []
    private(set) var changes: BatchChanges
    private(set) var changed: [OrderName] = []

    private let loaded: WorkingSet
    private var batch: PendingBatch
    private let recordBytesMax: Int
    private var next: UInt64

    /// - Parameter head: The last sequence before the batch.
    init(
        after head: UInt64, over loaded: WorkingSet, function: SipHash, factsMax: Int,
        recordBytesMax: Int
    ) {
        self.loaded = loaded
        self.recordBytesMax = recordBytesMax
        next = head + 1
        changes = BatchChanges(first: next, over: loaded)
        batch = PendingBatch(function: function, factsMax: factsMax)
    }

    /// - Parameter hashes: The notification's hashes; nil if the task has none.
    mutating func decide(
        _ task: BatchTask, _ endpoint: UInt16, _ hashes: NotificationHashes?
    ) {
        switch task.content {
        case .submission(let queued):
            let known =
                hashes ?? batch.keys.hashes(of: queued.submission.notification, endpoint)
            receipts.append(decide(queued.submission, known))
        case .registration(let registration): receipts.append(decide(registration, endpoint))
        case .act(let act): receipts.append(decide(act, endpoint))
        case .confirmation: receipts.append(Receipt(.duplicate(of: next - 1)))
        }
    }

    /// Applies all decisions to the changes.
    mutating func finish() { batch.apply(to: &changes) }

    private mutating func decide(
        _ submission: Submission, _ hashes: NotificationHashes
    ) -> Receipt {
        let decision = batch.decide(
            submission.notification, hashes, sequence: next, in: loaded)
        switch consume decision {
        case .duplicate(let original):
            return Receipt(
                .duplicate(of: original), reference: submission.notification.reference)
        case .record(let change):
            guard let record = encode(change, submission) else {
                return Receipt(.refused(.recordTooLong))
            }
            let receipt = Receipt(change)
            changes.append(record, change, hashes.endpoint, received: submission.received)
            accept(change, submission.endpoint, submission.received)
            return receipt
        }
    }

    private mutating func decide(_ registration: Registration, _ endpoint: UInt16) -> Receipt {
        let decision = batch.decide(
            registration.registered, reference: registration.reference, endpoint: endpoint,
            sequence: next, in: loaded)
        switch consume decision {
        case .same(let original):
            return Receipt(.duplicate(of: original), reference: registration.reference)
        case .differs(let original):
            return Receipt(.conflict(original), reference: registration.reference)
        case .record(let change):
            var record: [UInt8] = []
            RecordEncoder.append(change.content, of: registration, to: &record)
            guard record.count <= recordBytesMax else { return Receipt(.refused(.recordTooLong)) }
            let receipt = Receipt(change)
            changes.append(
                record, change, endpoint, received: registration.received,
                metadata: registration.metadata)
            accept(change, registration.endpoint, registration.received)
            return receipt
        }
    }

    private mutating func decide(_ act: Act, _ endpoint: UInt16) -> Receipt {
        let decision = batch.decide(
            act.action, act.demand, endpoint: endpoint, sequence: next, in: loaded)
        switch consume decision {
        case .refused(let refusal): return Receipt(refusal, after: next - 1)
        case .record(let change, let action):
            var record: [UInt8] = []
            RecordEncoder.append(change.content, of: act, decided: action, to: &record)
            guard record.count <= recordBytesMax else { return Receipt(.refused(.recordTooLong)) }
            let receipt = Receipt(change)
            changes.append(
                record, change, endpoint, received: action.received,
                metadata: act.registered?.metadata ?? [])
            accept(change, act.endpoint, action.received)
            return receipt
        }
    }

    private mutating func accept(
        _ change: consuming EventChange, _ endpoint: String, _ received: Timestamp
    ) {
        for name in change.references + (change.content.order?.absorbed ?? []) {
            changed.append(OrderName(endpoint: endpoint, reference: name))
        }
        batch.accept(change, received: received)
        next += 1
    }

    /// Appends the encoded record. Escapes can make a body six times as long; Base64 makes it a
    /// third longer.
    private func encode(
        _ change: borrowing EventChange, _ submission: Submission
    ) -> [UInt8]? {
        for encodesBodyAsBase64 in [false, true] {
            var record: [UInt8] = []
            RecordEncoder.append(
                change.content, of: submission, encodesBodyAsBase64: encodesBodyAsBase64,
                to: &record)
            if record.count <= recordBytesMax { return record }
        }
        return nil
    }
}

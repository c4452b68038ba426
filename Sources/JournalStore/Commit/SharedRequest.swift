import Journal
import Ledger
import Payments
import Records
import Store

/// The events of one request on their way into the frame: all of them, or none.
struct SharedRequest {
    /// A receipt for each event, in their order.
    private(set) var receipts: [Receipt] = []
    private(set) var duplicates = 0
    /// The new records.
    private(set) var recorded: [(RecordContent, Submission)] = []
    /// The head of the last one, among the frame's bytes.
    private(set) var lastHead: Range<Int>?
    /// The orders that change, where a reader watches an order.
    private(set) var changedOrders: [OrderName] = []
    /// The record that holds the request: the first one.
    private var holder: UInt64?
    private let watchesOrders: Bool

    init(watchesOrders: Bool) { self.watchesOrders = watchesOrders }

    /// Puts the records of all new events into the frame. Throws why one of them cannot be
    /// recorded, and leaves the frame and the batch as they were.
    mutating func record(
        _ events: [QueuedSubmission], in journal: JournalWriter,
        sealing sealer: inout RecordSealer?, _ ledger: inout JournalLedger
    ) throws(JournalError) {
        let mark = journal.frameMark
        ledger.batch.mark()
        for (event, hashes) in zip(events, ledger.lookAhead(events)) {
            do throws(JournalError) {
                try record(event.submission, hashes, in: journal, sealing: &sealer, &ledger)
            } catch {
                journal.discard(after: mark)
                ledger.batch.takeBackMarked()
                throw error
            }
        }
        ledger.batch.keepMarked()
    }

    private mutating func record(
        _ submission: Submission, _ hashes: NotificationHashes, in journal: JournalWriter,
        sealing sealer: inout RecordSealer?, _ ledger: inout JournalLedger
    ) throws(JournalError) {
        let sequence = journal.nextSequence
        switch ledger.decide(submission, hashes, sequence: sequence) {
        case .duplicate(let original):
            duplicates += 1
            receipts.append(
                Receipt(.duplicate(of: original), reference: submission.notification.reference))
        case .record(let change):
            let holder = holder
            lastHead = try journal.append(sealing: &sealer) { bytes, encodesBodyAsBase64 in
                RecordEncoder.append(
                    change.content, of: submission, heldBy: holder,
                    encodesBodyAsBase64: encodesBodyAsBase64, to: &bytes)
            }
            self.holder = holder ?? sequence
            receipts.append(Receipt(change))
            recorded.append((change.content, submission))
            if watchesOrders { changedOrders += change.names(in: submission.endpoint) }
            ledger.batch.accept(change, received: submission.received)
        }
    }
}

extension JournalWriter {
    /// Encodes a record straight into the frame, seals it there, and returns the place of its head.
    /// `encode` returns where the head ends.
    func append(
        sealing sealer: inout RecordSealer?,
        _ encode: (_ bytes: inout [UInt8], _ encodesBodyAsBase64: Bool) -> Int
    ) throws(JournalError) -> Range<Int> {
        let sequence = nextSequence
        var head = 0..<0
        func add(encodesBodyAsBase64: Bool) throws(JournalError) {
            _ = try append { bytes in
                let start = bytes.count
                let end = encode(&bytes, encodesBodyAsBase64)
                head = start..<end
                sealer?.seal(&bytes, from: start, headEnd: end, of: sequence)
            }
        }
        do throws(JournalError) {
            try add(encodesBodyAsBase64: false)
        } catch {
            // Base64 is a third longer than the bytes, escapes can be six times as long: it gets a
            // second chance.
            guard case .recordTooLong = error else { throw error }
            try add(encodesBodyAsBase64: true)
        }
        return head
    }
}

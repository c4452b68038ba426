import Ledger
import Payments

/// Orders and known events in memory: the ledger's decisions on a series of notifications to one
/// endpoint.
struct VectorLedger {
    /// The ledger's decision about a notification.
    enum Outcome: String {
        case recorded, ignored, duplicate, conflict
    }

    private var batch: PendingBatch
    private var sequence: UInt64 = 0

    /// No key has to be secret here: every text comes from one file.
    init() {
        batch = PendingBatch(function: SipHash(key: (1, 2)), factsMax: Order.factsMaxDefault)
    }

    /// Records a notification. Returns the order after it, where it is about one.
    mutating func record(_ notification: Notification) -> (outcome: Outcome, order: OrderSummary?) {
        sequence += 1
        let hashes = batch.keys.hashes(of: notification, 0)
        let decision = batch.decide(
            notification, hashes, sequence: sequence, in: NothingDurable())
        switch consume decision {
        case .duplicate: return (.duplicate, nil)
        case .record(let change):
            let outcome: Outcome =
                switch change.content.outcome {
                case .recorded: .recorded
                case .ignored: .ignored
                case .conflict: .conflict
                }
            let order = change.content.order?.summary
            batch.accept(change, received: Timestamp(microseconds: Int64(clamping: sequence)))
            return (outcome, order)
        }
    }

    /// The order after a series of notifications. One that is about no order changes nothing.
    static func order(after notifications: [Notification]) -> OrderSummary? {
        var ledger = VectorLedger()
        var order: OrderSummary?
        for notification in notifications { order = ledger.record(notification).order ?? order }
        return order
    }
}

/// A memory without a record: everything is in the batch, which is never written.
private struct NothingDurable: LedgerMemory {
    func event(_ key: KeyHash) -> KnownEvent? { nil }

    func order(_ key: KeyHash, named reference: String, endpoint: UInt16) -> FoundOrder? { nil }

    func forEachOrder(
        pointedAtBy key: KeyHash, endpoint: UInt16, _ question: OrderQuestion,
        except isKnown: (OrderAddress) -> Bool, _ visit: (FoundOrder) -> Void
    ) {}

    func decoded(_ full: FullOrder) -> StoredOrder {
        preconditionFailure("no order is full in a memory without orders")
    }
}

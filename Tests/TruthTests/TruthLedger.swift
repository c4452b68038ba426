import Ledger
import Payments
import Store

@testable import JournalStore

/// The ledger alone, without journal and threads: what a row of notifications makes of the orders.
struct TruthLedger {
    private var tables = StoreTables(function: SipHash(key: (1, 2)))
    private var batch: PendingBatch
    private var sequence: UInt64 = 0

    init() { batch = PendingBatch(function: tables.function, factsMax: 1000) }

    /// Records a notification, as part of the batch or, where `isLast`, of the batch's end.
    mutating func record(_ notification: Notification, isLast: Bool) {
        let endpoint = tables.endpoints.number(of: "e")
        let hashes = batch.keys.hashes(of: notification, endpoint)
        sequence += 1
        let decision = batch.decide(notification, hashes, sequence: sequence, in: tables)
        switch consume decision {
        case .duplicate: break
        case .record(let change):
            batch.accept(change, received: Timestamp(microseconds: Int64(sequence)))
        }
        if isLast { batch.apply(to: &tables) }
    }

    func order(_ reference: String) -> Order? {
        tables.order(endpoint: "e", reference: reference)?.order
    }

    /// What each name in a notification leads to: both references, and every id.
    func orders(namedBy notification: Notification) -> [Order?] {
        if notification.effect == .none { return [] }
        let references = [notification.reference, notification.alias].compactMap(\.self)
        let ids = [notification.transaction, notification.effect.id].compactMap(\.self)
        return references.map { order($0) }
            + ids.filter { !$0.isEmpty }.map {
                tables.order(endpoint: "e", transaction: $0)?.order
            }
    }

    var orderCount: Int { tables.orderCount }
}

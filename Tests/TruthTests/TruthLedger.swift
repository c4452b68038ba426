import Ledger
import Payments
import Records
import Store

@testable import JournalStore

/// The ledger alone, without journal and threads: the orders after a series of notifications.
struct TruthLedger {
    /// Copied on the first write: making 256 shards takes longer than playing a life.
    private static let emptyTables = StoreTables(function: SipHash(key: (1, 2)))
    private var tables = emptyTables
    private var batch: PendingBatch
    private var sequence: UInt64 = 0

    init(factsMax: Int = 1000) {
        batch = PendingBatch(function: tables.function, factsMax: factsMax)
    }

    /// Records a notification in the batch, or with `isLast` as the batch's end.
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

    /// Registers the merchant's expectation.
    mutating func register(_ reference: String, _ amount: Money) {
        sequence += 1
        let expected = RegisteredExpectation(
            expectation: Payments.Expectation(amount: amount), metadata: [])
        let decision = batch.decide(
            expected, reference: reference, endpoint: tables.endpoints.number(of: "e"),
            sequence: sequence, in: tables)
        switch consume decision {
        case .record(let change):
            batch.accept(change, received: Timestamp(microseconds: Int64(sequence)))
        default: break
        }
        batch.apply(to: &tables)
    }

    /// Accepts the order's state as a person; returns the record's sequence, or nil if it is
    /// refused.
    mutating func resolve(_ reference: String) -> UInt64? {
        batch.apply(to: &tables)
        let view = tables.order(endpoint: "e", reference: reference)
        let action = RecordedAction(
            id: "action:\(sequence + 1)", kind: .resolve, reference: view?.order.reference,
            by: "admin", remote: "unix", reason: "because",
            received: Timestamp(microseconds: Int64(sequence + 1)))
        let decision = batch.decide(
            action, .resolve(.accept, last: view?.sequences.last ?? 0),
            endpoint: tables.endpoints.number(of: "e"), sequence: sequence + 1, in: tables)
        switch consume decision {
        case .refused: return nil
        case .record(let change, _):
            sequence += 1
            batch.accept(change, received: action.received)
            batch.apply(to: &tables)
            return sequence
        }
    }

    func view(_ reference: String) -> OrderView? {
        tables.order(endpoint: "e", reference: reference)
    }

    /// The order without a reference under an id.
    func order(unjoined id: String) -> Order? {
        tables.order(endpoint: "e", unjoined: id)?.order
    }

    func order(_ reference: String) -> Order? {
        tables.order(endpoint: "e", reference: reference)?.order
    }

    /// The orders of each name in a notification: both references, and every id.
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

import GRDB
import Payments
import Platform
import Store

/// Updates rows of the index from the store's orders.
///
/// A record has its order by the rules of its time, and is never changed. So once an index has been
/// filled from the journal, or has met a correction, each row is compared with the store's order.
///
/// While lists are answered, only the rows of orders that changed with another order's record are
/// compared.
///
/// | the store has | the row |
/// |---|---|
/// | the order under this name | gets its status, sums, flags and reason |
/// | another order that leads from this name | goes: that order has a row, which inherits it |
/// | nothing | goes |
struct IndexRefresh {
    /// Returns the orders of these names, in their order; nil once the store is closed.
    typealias LookUp = @Sendable ([OrderKey]) -> [OrderView?]?

    private let index: OrderIndex
    private let lookUp: LookUp
    /// Rows between two pauses.
    private static let rowsPerTransaction = 200

    init(_ index: OrderIndex, lookUp: @escaping LookUp) {
        self.index = index
        self.lookUp = lookUp
    }

    private struct Place {
        let first: Int64
        let endpoint: String
        let reference: String?
        let transaction: String?

        init(_ row: Row) throws {
            first = try row.decode(forColumn: "first")
            endpoint = try row.decode(forColumn: "endpoint")
            reference = try row.decode(forColumn: "reference")
            transaction = try row.decode(forColumn: "transactionID")
        }

        var key: OrderKey? {
            if let reference { return .reference(endpoint: endpoint, reference) }
            return transaction.map { .unjoined(endpoint: endpoint, $0) }
        }
    }

    /// Updates all rows when that is due, else the stale ones. Throws `DatabaseError`.
    func run(pause: () -> Void = {}) throws {
        guard try isDue() else { return try refreshStale(pause) }
        var after: Int64 = -1
        while true {
            let places = try places(after: after)
            guard let last = places.last else { break }
            let keys = places.map { $0.key ?? .unjoined(endpoint: $0.endpoint, "") }
            guard let views = lookUp(keys) else { return }
            try index.database.write { database in
                for (place, view) in zip(places, views) {
                    try refresh(place, with: view, database)
                }
            }
            after = last.first
            pause()
        }
        try index.database.write {
            try $0.execute(sql: "UPDATE refresh SET isDue = 0; DELETE FROM stale")
        }
    }

    /// Updates the rows of orders that changed with other orders' records.
    private func refreshStale(_ pause: () -> Void) throws {
        while true {
            let stale = try index.database.read { try Self.stalePlaces($0) }
            guard !stale.isEmpty else { return }
            guard let views = lookUp(stale.map(\.key)) else { return }
            try index.database.write { database in
                for (key, view) in zip(stale, views) {
                    if let place = try Self.place(of: key, database) {
                        try refresh(place, with: view, database)
                    }
                    try database.execute(
                        sql: "DELETE FROM stale WHERE endpoint = ? AND reference = ? AND id = ?",
                        arguments: [key.endpoint, key.reference, key.id])
                }
            }
            pause()
        }
    }

    private struct Stale {
        let endpoint: String
        let reference: String
        let id: String

        var key: OrderKey {
            reference.isEmpty
                ? .unjoined(endpoint: endpoint, id) : .reference(endpoint: endpoint, reference)
        }
    }

    private static func stalePlaces(_ database: Database) throws -> [Stale] {
        try Row.fetchAll(
            database, sql: "SELECT endpoint, reference, id FROM stale LIMIT \(rowsPerTransaction)"
        ).map { row in
            Stale(
                endpoint: try row.decode(forColumn: "endpoint"),
                reference: try row.decode(forColumn: "reference"),
                id: try row.decode(forColumn: "id"))
        }
    }

    /// Returns the row's place; nil where the row is gone, because the order is part of another.
    private static func place(of key: Stale, _ database: Database) throws -> Place? {
        let name =
            key.reference.isEmpty
            ? "reference IS NULL AND transactionID = ?" : "reference = ?"
        return try Row.fetchOne(
            database,
            sql: "SELECT first, endpoint, reference, transactionID FROM orders "
                + "WHERE endpoint = ? AND \(name)",
            arguments: [key.endpoint, key.reference.isEmpty ? key.id : key.reference]
        ).map { try Place($0) }
    }

    private func isDue() throws -> Bool {
        try index.database.read { try Bool.fetchOne($0, sql: "SELECT isDue FROM refresh") ?? true }
    }

    private func places(after first: Int64) throws -> [Place] {
        try index.database.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT first, endpoint, reference, transactionID FROM orders "
                    + "WHERE first > ? ORDER BY first LIMIT \(Self.rowsPerTransaction)",
                arguments: [first]
            ).map { try Place($0) }
        }
    }

    private func refresh(_ place: Place, with view: OrderView?, _ database: Database) throws {
        let own = view?.order.reference
        guard let order = view?.order, isSame(own, place.reference),
            place.reference != nil || isSame(order.leastID, place.transaction)
        else {
            if let own { try inherit(from: place, to: own, database) }
            return try database.execute(
                sql: "DELETE FROM orders WHERE first = ?", arguments: [place.first])
        }
        let summary = order.summary
        let flags = summary.flags.map { "\($0.rawValue)," }.joined()
        let currency = summary.amount ?? summary.refunded ?? summary.authorized
        try database.execute(
            sql: """
                UPDATE orders SET status = ?, minor = ?, currency = ?, refunded = ?, authorized = ?,
                    captured = ?, reasonCode = ?, reasonMessage = ?, method = ?, agreement = ?,
                    flags = ?, last = max(last, ?)
                    WHERE first = ?
                """,
            arguments: [
                summary.status.rawValue, summary.amount?.minor, currency?.currency.code,
                summary.refunded?.minor, summary.authorized?.minor, summary.captured?.minor,
                summary.reason?.code, summary.reason?.message, summary.method, summary.agreement,
                flags.isEmpty ? "" : ",\(flags)", Int64(clamping: view?.last ?? 0), place.first,
            ])
    }

    private func isSame(_ left: String?, _ right: String?) -> Bool {
        left.map { Array($0.utf8) } == right.map { Array($0.utf8) }
    }

    private func inherit(
        from place: Place, to reference: String, _ database: Database
    ) throws {
        try database.execute(
            sql: """
                UPDATE orders SET expectedMinor = coalesce(orders.expectedMinor, old.expectedMinor),
                    expectedCurrency = coalesce(orders.expectedCurrency, old.expectedCurrency),
                    expires = coalesce(orders.expires, old.expires),
                    metadata = coalesce(orders.metadata, old.metadata)
                FROM (SELECT * FROM orders WHERE first = ?) AS old
                WHERE orders.endpoint = ? AND orders.reference = ?
                """, arguments: [place.first, place.endpoint, reference])
    }
}

extension OrderIndex {
    /// Updates every row from its order, when that is due. Throws `DatabaseError`.
    package func refresh(
        pause: () -> Void = {}, lookUp: @escaping @Sendable ([OrderKey]) -> [OrderView?]?
    ) throws {
        try IndexRefresh(self, lookUp: lookUp).run(pause: pause)
    }
}

/// Wakes the index's thread: by a ring, at a deadline, or at the end. A ring before the wait is
/// kept.
final class IndexBell: Sendable {
    private let clock: any Clock
    private let isRung: Monitor<Bool>
    private let hasEnded: Monitor<Bool>

    init(clock: any Clock) {
        self.clock = clock
        isRung = Monitor(false, clock: clock)
        hasEnded = Monitor(false, clock: clock)
    }

    func ring() {
        isRung.withLock { $0 = true }
        isRung.wakeAll()
    }

    /// Ends every pause from here on, and rings.
    func end() {
        hasEnded.withLock { $0 = true }
        hasEnded.wakeAll()
        ring()
    }

    /// Blocks until it rings.
    func wait() { wait(until: .never) }

    /// Blocks until it rings, at most for `microseconds`.
    func wait(microseconds: Int) { wait(until: time(in: microseconds)) }

    /// Blocks for `microseconds`, whether it rings or not. Only the end is sooner.
    func pause(microseconds: Int) {
        let end = time(in: microseconds)
        hasEnded.wait { hasEnded in
            hasEnded || clock.now >= end ? .go(()) : .wait(until: end)
        }
    }

    private func wait(until end: MonotonicTime) {
        isRung.wait { isRung -> Monitor<Bool>.Decision<Void> in
            guard isRung || clock.now >= end else { return .wait(until: end) }
            isRung = false
            return .go(())
        }
    }

    private func time(in microseconds: Int) -> MonotonicTime {
        clock.now.advanced(nanoseconds: UInt64(microseconds) * 1000)
    }
}

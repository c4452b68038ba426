import Ledger
import Payments
import PostgreSQL

/// The rows that a batch's decisions look up, loaded from the database under the lock of the head
/// row.
///
/// A decision that asks for a key that was not loaded would take a known event for new, or an
/// existing order for absent. Therefore the caller loads the missed keys and decides again, until
/// none is missed. `LedgerLookups` lists all keys of orders; `isComplete` checks that, too, because
/// a missing one would break the promise.
struct WorkingSet {
    /// A row of `order_state`.
    struct Row {
        var key: KeyHash
        var facts: [UInt8]
        var later: LaterRecords
        /// The first record that named the order, and when that was received.
        var first: Int64
        var created: Int64
    }

    private final class Misses {
        var count = 0
        var events: Set<KeyHash> = []
        var pointers: Set<KeyHash> = []
    }

    private var lookups: LedgerLookups
    private let misses = Misses()
    private var events: [KeyHash: KnownEvent] = [:]
    /// The orders, each once; an order's address is its index.
    private(set) var rows: [Row] = []
    private var places: [KeyHash: Int] = [:]
    private var pointers: [KeyHash: [Int]] = [:]
    /// The orders that a key points to, deleted ones included.
    private var aliases: [KeyHash: Set<KeyHash>] = [:]

    /// - Parameter lookups: The keys that are queried: those without an added row do not exist.
    init(_ lookups: LedgerLookups) { self.lookups = lookups }

    /// Whether the table certainly has no row for this order: it was queried under the lock.
    func isNewOrder(_ key: KeyHash) -> Bool {
        places[key] == nil && lookups.orders.contains(key)
    }

    /// Whether the table certainly has no row for this event.
    func isNewEvent(_ key: KeyHash) -> Bool {
        events[key] == nil && lookups.events.contains(key)
    }

    /// Whether the table certainly has no such alias.
    func isNewAlias(_ key: KeyHash, of order: KeyHash) -> Bool {
        lookups.pointers.contains(key) && aliases[key]?.contains(order) != true
    }

    /// Whether the decisions asked only for loaded keys.
    var isComplete: Bool { misses.count == 0 && !hasMissed }

    /// Whether the decisions asked for events or pointers that were not loaded.
    var hasMissed: Bool { !misses.events.isEmpty || !misses.pointers.isEmpty }

    /// The events that the decisions asked for and that were not loaded.
    var missedEvents: Set<KeyHash> { misses.events }

    /// The pointers to orders that the decisions asked for and that were not loaded.
    var missedPointers: Set<KeyHash> { misses.pointers }

    /// Notes that the missed keys were queried: those without an added row do not exist.
    mutating func noteMissedLoaded() {
        lookups.add(events: misses.events, pointers: misses.pointers)
        (misses.events, misses.pointers) = ([], [])
    }

    mutating func add(_ key: KeyHash, _ event: KnownEvent) { events[key] = event }

    @discardableResult
    mutating func add(_ row: Row) -> Int {
        if let place = places[row.key] { return place }
        places[row.key] = rows.count
        rows.append(row)
        return rows.count - 1
    }

    /// Adds an alias of the table; its order may have been deleted since.
    mutating func add(_ alias: KeyHash, of order: KeyHash) {
        aliases[alias, default: []].insert(order)
    }

    mutating func add(_ row: Row, pointedAtBy pointer: KeyHash) {
        pointers[pointer, default: []].append(add(row))
    }

    /// The loaded row of an order; nil for a new one.
    func row(_ key: KeyHash) -> Row? { places[key].map { rows[$0] } }

    /// Returns nil if the bytes are damaged.
    private func found(_ place: Int, _ endpoint: UInt16, _ question: OrderQuestion) -> FoundOrder? {
        let row = rows[place]
        let address = OrderAddress(place)
        if case (var full, let parts)? = StoredOrder.full(row.facts[...]) {
            guard full.endpoint == endpoint,
                question.isMet(by: full, EncodedOrder(parts.order))
            else { return nil }
            full.address = address
            full.later = row.later
            return .full(full)
        }
        guard let order = StoredOrder(row.facts[...], address: address),
            order.endpoint == endpoint, question.isMet(by: order.order)
        else { return nil }
        return .open(order)
    }
}

extension WorkingSet: LedgerMemory {
    func event(_ key: KeyHash) -> KnownEvent? {
        if !lookups.events.contains(key) { misses.events.insert(key) }
        return events[key]
    }

    func order(_ key: KeyHash, named reference: String, endpoint: UInt16) -> FoundOrder? {
        if !lookups.orders.contains(key) { misses.count += 1 }
        return places[key].flatMap { found($0, endpoint, .isNamed(reference)) }
    }

    func forEachOrder(
        pointedAtBy key: KeyHash, endpoint: UInt16, _ question: OrderQuestion,
        except isKnown: (OrderAddress) -> Bool, _ visit: (FoundOrder) -> Void
    ) {
        if !lookups.pointers.contains(key) { misses.pointers.insert(key) }
        for place in pointers[key] ?? [] where !isKnown(OrderAddress(place)) {
            if let found = found(place, endpoint, question) { visit(found) }
        }
    }

    func decoded(_ full: FullOrder) -> StoredOrder {
        guard let address = full.address,
            var order = StoredOrder(rows[Int(address)].facts[...], address: address)
        else { preconditionFailure("a full order that is not in the working set") }
        order.later = full.later
        return order
    }
}

import Ledger
import Payments
import Synchronization

/// A store's memory in dictionaries, which notes what it is asked.
struct DictionaryMemory: LedgerMemory, LedgerChanges {
    /// The keys that were looked up.
    final class Asked: Sendable {
        struct Keys {
            var events: Set<KeyHash> = []
            var orders: Set<KeyHash> = []
            var pointers: Set<KeyHash> = []
        }

        let keys = Mutex(Keys())
    }

    let asked = Asked()
    private(set) var events: [KeyHash: KnownEvent] = [:]
    private var orders: [OrderAddress: (key: KeyHash, bytes: [UInt8])] = [:]
    private var pointers: [KeyHash: Set<KeyHash>] = [:]
    private var lastAddress: OrderAddress = 0

    /// Every order.
    var all: [StoredOrder] { orders.keys.sorted().map { stored(at: $0) } }

    func event(_ key: KeyHash) -> KnownEvent? {
        asked.keys.withLock { _ = $0.events.insert(key) }
        return events[key]
    }

    func order(_ key: KeyHash, named reference: String, endpoint: UInt16) -> FoundOrder? {
        asked.keys.withLock { _ = $0.orders.insert(key) }
        return orders(under: key, endpoint, .isNamed(reference)).first
    }

    func forEachOrder(
        pointedAtBy key: KeyHash, endpoint: UInt16, _ question: OrderQuestion,
        except isKnown: (OrderAddress) -> Bool, _ visit: (FoundOrder) -> Void
    ) {
        asked.keys.withLock { _ = $0.pointers.insert(key) }
        for order in pointers[key] ?? [] {
            for found in orders(under: order, endpoint, question) { visit(found) }
        }
    }

    func decoded(_ full: FullOrder) -> StoredOrder { stored(at: full.address ?? 0) }

    mutating func remember(_ key: KeyHash, _ event: KnownEvent) { events[key] = event }

    mutating func store(_ order: StoredOrder, under key: KeyHash) {
        if order.isRemoved {
            if let address = order.address { orders[address] = nil }
            return
        }
        var bytes: [UInt8] = []
        order.encode(into: &bytes)
        if order.address == nil { lastAddress += 1 }
        orders[order.address ?? lastAddress] = (key, bytes)
    }

    mutating func updateLater(of full: FullOrder, under key: KeyHash) {
        guard let address = full.address else { return }
        var order = stored(at: address)
        order.later = full.later
        store(order, under: key)
    }

    mutating func attach(_ pointer: KeyHash, to order: KeyHash) {
        pointers[pointer, default: []].insert(order)
    }

    mutating func advance(to sequence: UInt64, received: Timestamp) {}

    private func orders(
        under key: KeyHash, _ endpoint: UInt16, _ question: OrderQuestion
    ) -> [FoundOrder] {
        orders.filter { $0.value.key == key }.keys.sorted().map { stored(at: $0) }
            .filter { $0.endpoint == endpoint && question.isMet(by: $0.order) }
            .map { $0.order.isFull ? .full(FullOrder($0)) : .open($0) }
    }

    private func stored(at address: OrderAddress) -> StoredOrder {
        guard let bytes = orders[address]?.bytes,
            let stored = StoredOrder(bytes[...], address: address)
        else { preconditionFailure("no order has this address") }
        return stored
    }
}

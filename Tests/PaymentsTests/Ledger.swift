import Payments

/// A minimal store without an index: it searches all orders for those that a notification names and
/// merges them.
struct Ledger: Equatable {
    private(set) var orders: [Order] = []
    /// Every order is encoded and decoded, as in the store.
    private var usesEncoding = false

    init(usesEncoding: Bool = false) {
        self.usesEncoding = usesEncoding
    }

    /// Whether both hold the same orders, in any sequence.
    static func == (left: Ledger, right: Ledger) -> Bool {
        left.sorted == right.sorted
    }

    private var sorted: [Order] {
        orders.sorted { $0.encoded().lexicographicallyPrecedes($1.encoded()) }
    }

    mutating func record(_ notification: Notification) {
        if notification.effect == .none { return }
        put(find(notification).applying(notification))
    }

    mutating func register(_ expectation: Registration, reference: String) {
        let order = take { $0.isKnown(as: reference) }.reduce(Order()) { $0.merging($1) }
        put(order.registering(expectation, reference: reference))
    }

    /// Returns the order with a reference or alias.
    subscript(reference: String) -> Order? {
        orders.first { $0.reference == reference }
            ?? orders.first { $0.isKnown(as: reference, role: .alias) }
    }

    /// Removes the orders that the notification names and returns them merged.
    private mutating func find(_ notification: Notification) -> Order {
        var found: [Order] = []
        if let reference = notification.reference {
            found += take { $0.isKnown(as: reference) }
        }
        if let transaction = notification.transaction {
            found += take { $0.holds(transaction) }
        }
        if let id = notification.effect.id, !id.isEmpty {
            let isOnlyName = notification.reference == nil && notification.transaction == nil
            found += take { isOnlyName ? $0.holds(id) : $0.names(id) }
        }
        return found.reduce(Order()) { $0.merging($1) }
    }

    private mutating func take(_ isWanted: (Order) -> Bool) -> [Order] {
        let taken = orders.filter(isWanted)
        orders.removeAll(where: isWanted)
        return taken
    }

    private mutating func put(_ order: Order) {
        guard usesEncoding else { return orders.append(order) }
        guard let copy = Order(encoded: order.encoded()) else { fatalError("lost \(order)") }
        orders.append(copy)
    }
}

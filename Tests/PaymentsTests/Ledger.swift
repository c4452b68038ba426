import Payments

/// The store in small: it finds the order of each notification, and joins what was known under a
/// transaction as soon as a notification names the reference too.
struct Ledger: Equatable {
    private(set) var orders: [String: Order] = [:]
    private(set) var unjoined: [String: Order] = [:]
    private var referenceOfTransaction: [String: String] = [:]
    /// Every order is written and read again on its way, as the store does.
    private var usesEncoding = false

    init(usesEncoding: Bool = false) {
        self.usesEncoding = usesEncoding
    }

    static func == (left: Ledger, right: Ledger) -> Bool {
        left.orders == right.orders && left.unjoined == right.unjoined
    }

    mutating func record(_ notification: Notification) {
        if notification.effect == .none { return }
        let transaction = notification.transaction
        let known = transaction.flatMap { referenceOfTransaction[$0] }
        guard let reference = notification.reference ?? known else {
            let name = transaction ?? ""
            let order = unjoined[name] ?? Order(unjoined: name)
            unjoined[name] = stored(order.applying(notification))
            return
        }
        var order = (orders[reference] ?? Order(reference: reference)).applying(notification)
        if let transaction {
            referenceOfTransaction[transaction] = reference
            if let early = unjoined.removeValue(forKey: transaction) {
                order = order.merging(early)
            }
        }
        orders[reference] = stored(order)
    }

    mutating func register(_ expectation: Registration, reference: String) {
        let order = orders[reference] ?? Order(reference: reference)
        orders[reference] = stored(order.registering(expectation))
    }

    private func stored(_ order: Order) -> Order {
        guard usesEncoding else { return order }
        guard let copy = Order(encoded: order.encoded()) else { fatalError("lost \(order)") }
        return copy
    }
}

import Payments

/// The order that a notification is about, and what must be changed so that it is found there.
struct OrderPlace: ~Copyable {
    var key: KeyHash
    var order: StoredOrder
    /// Nothing was known of the order before.
    var isNew: Bool
    /// An order that was kept under a transaction and now is part of this one: its key, and the
    /// order marked as removed.
    var joined: (KeyHash, StoredOrder)?
    /// The key of a transaction that the transaction index does not know yet.
    var transaction: KeyHash?

    /// An order that is known.
    init(key: KeyHash, order: StoredOrder) {
        self.key = key
        self.order = order
        isNew = false
    }

    /// An order that nothing was known of.
    init(key: KeyHash, new order: Order, endpoint: UInt16) {
        self.key = key
        self.order = StoredOrder(blob: OrderBlob(endpoint: endpoint, order: order))
        isNew = true
    }

    /// The order's status; nil while nothing is known of it.
    var status: OrderStatus? { isNew ? nil : order.blob.order.status }
}

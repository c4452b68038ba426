/// The order that a notification is about, and what must be changed so that it is found there.
struct OrderPlace {
    var key: KeyHash
    var order: StoredOrder
    /// Nothing was known of the order before.
    var isNew: Bool
    /// An order that was kept under a transaction and now is part of this one: its key, marked as removed.
    var joined: (KeyHash, StoredOrder)?
    /// A transaction's key and the order's, when the transaction index does not know them yet.
    var transaction: (KeyHash, KeyHash)?

    init(key: KeyHash, order: StoredOrder, isNew: Bool) {
        self.key = key
        self.order = order
        self.isNew = isNew
    }
}

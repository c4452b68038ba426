import Payments

/// An order that a batch reads or changes, and where the tables hold it.
struct StoredOrder: Sendable, Equatable {
    var blob: OrderBlob
    /// Nil while only the batch knows the order.
    var address: BlobArena.Address?
    /// Joined to another order by this batch, so that nothing is left under this key.
    var isRemoved = false

    /// Which of a shard's tables holds it.
    var table: OrderTable { blob.order.reference == nil ? .unjoined : .named }
}

extension Order {
    /// Whether the order's own reference is `reference`, by its bytes: `==` takes canonically
    /// equivalent texts for equal.
    func isNamed(_ reference: String) -> Bool {
        self.reference?.utf8.elementsEqual(reference.utf8) ?? false
    }
}

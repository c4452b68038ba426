import Payments

/// An order that a batch reads or changes, and where the tables hold it.
struct StoredOrder: Sendable, Equatable {
    var blob: OrderBlob
    /// Nil while only the batch knows the order.
    var address: BlobArena.Address?
    /// Joined to another order by this batch, so that nothing is left under this key.
    var isRemoved = false
    /// What the rules say of it, where that was asked since it changed.
    var status: OrderStatus?

    /// Which of a shard's tables holds it.
    var table: OrderTable { blob.order.reference == nil ? .unjoined : .named }
}

/// An order that a lookup has found.
enum FoundOrder: Sendable {
    case open(StoredOrder)
    case full(FullOrder)

    var address: BlobArena.Address? {
        switch self {
        case .open(let order): order.address
        case .full(let order): order.address
        }
    }
}

/// What makes an order the wanted one: keys' tags are not unique.
enum OrderQuestion {
    case isNamed(String)
    case isKnown(String, OrderReference.Role)
    case holds(String)
    case names(String)

    func isMet(by order: Order) -> Bool {
        switch self {
        case .isNamed(let reference): order.isNamed(reference)
        case .isKnown(let reference, let role): order.isKnown(as: reference, role: role)
        case .holds(let id): order.holds(id)
        case .names(let id): order.names(id)
        }
    }

    /// - Parameter encoded: The order's own bytes.
    func isMet(by full: FullOrder, _ encoded: EncodedOrder) -> Bool {
        switch self {
        case .isNamed(let reference):
            full.reference?.utf8.elementsEqual(reference.utf8) ?? false
        case .isKnown(let reference, let role): encoded.isKnown(as: reference, role: role)
        case .holds(let id): encoded.holds(id)
        case .names(let id): encoded.names(id)
        }
    }
}

extension Order {
    /// Whether the order's own reference is `reference`, by its bytes: `==` takes canonically
    /// equivalent texts for equal.
    func isNamed(_ reference: String) -> Bool {
        self.reference?.utf8.elementsEqual(reference.utf8) ?? false
    }
}

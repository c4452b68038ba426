import Payments

/// What a decision looks up: everything that is durable, as a store keeps it.
///
/// The calls are synchronous. A store whose memory is elsewhere loads what a batch needs before it
/// decides: `LedgerLookups` lists the keys, and says when a decision asks for another.
package protocol LedgerMemory {
    /// What is remembered of an event, or nil when it is new.
    func event(_ key: KeyHash) -> KnownEvent?

    /// The order that is kept under the key of its own reference. `Order.isNamed(_:)` decides, for
    /// a memory may find orders by a part of the key.
    func order(_ key: KeyHash, named reference: String, endpoint: UInt16) -> FoundOrder?

    /// Calls `visit` with each order to which the key of an id or of a reference leads
    /// (`LedgerChanges.attach`), that is of this endpoint, and that `question` accepts. One may
    /// come twice, in any order.
    ///
    /// - Parameter isKnown: Whether the order at this address need not be looked at. It saves time
    ///   only; a memory may ignore it.
    func forEachOrder(
        pointedAtBy key: KeyHash, endpoint: UInt16, _ question: OrderQuestion,
        except isKnown: (OrderAddress) -> Bool, _ visit: (FoundOrder) -> Void)

    /// The order behind the head of a full one that this memory has found, with its facts.
    func decoded(_ full: FullOrder) -> StoredOrder
}

/// What a durable batch writes (`PendingBatch.apply(to:)`).
package protocol LedgerChanges {
    /// Remembers an event; one that is there already is replaced.
    mutating func remember(_ key: KeyHash, _ event: KnownEvent)

    /// Stores the order under `key`, in place of the one at `order.address`; or takes that one away
    /// when `order.isRemoved`. Without an address the order is new, and removing it does nothing.
    mutating func store(_ order: StoredOrder, under key: KeyHash)

    /// A full order has had more records: only `full.later` has changed.
    mutating func updateLater(of full: FullOrder, under key: KeyHash)

    /// Lets the key of an id or of a reference lead to the order that is kept under `order`, beside
    /// the orders to which it leads already. A pair that is there stays once.
    mutating func attach(_ pointer: KeyHash, to order: KeyHash)

    /// The newest record of the batch.
    mutating func advance(to sequence: UInt64, received: Timestamp)
}

/// What is known about an event that has been seen.
package struct KnownEvent: Sendable, Equatable {
    /// The record that holds the event.
    package var sequence: UInt64
    /// 24 bits of a keyed hash over what the event says.
    package var fingerprint: UInt32

    package static let fingerprintMask: UInt32 = 0xff_ffff

    package init(sequence: UInt64, fingerprint: UInt32) {
        self.sequence = sequence
        self.fingerprint = fingerprint
    }
}

/// Where a memory holds an order: a number that only that memory understands.
package typealias OrderAddress = UInt64

/// An order that a lookup has found.
package enum FoundOrder: Sendable {
    case open(StoredOrder)
    case full(FullOrder)

    package var address: OrderAddress? {
        switch self {
        case .open(let order): order.address
        case .full(let order): order.address
        }
    }
}

/// What makes an order the wanted one.
package enum OrderQuestion {
    case isNamed(String)
    case isKnown(String, OrderReference.Role)
    case holds(String)
    case names(String)

    package func isMet(by order: Order) -> Bool {
        switch self {
        case .isNamed(let reference): order.isNamed(reference)
        case .isKnown(let reference, let role): order.isKnown(as: reference, role: role)
        case .holds(let id): order.holds(id)
        case .names(let id): order.names(id)
        }
    }

    /// - Parameter encoded: The order's own bytes (`FullOrder.Parts`).
    package func isMet(by full: FullOrder, _ encoded: EncodedOrder) -> Bool {
        switch self {
        case .isNamed(let reference):
            full.reference.isExactly(reference)
        case .isKnown(let reference, let role): encoded.isKnown(as: reference, role: role)
        case .holds(let id): encoded.holds(id)
        case .names(let id): encoded.names(id)
        }
    }
}

extension Order {
    /// Whether the order's own reference is `reference`, by its bytes: `==` takes canonically
    /// equivalent texts for equal.
    package func isNamed(_ reference: String) -> Bool {
        self.reference.isExactly(reference)
    }
}

import Payments

/// The durable state that decisions look up, as a store keeps it.
///
/// The calls are synchronous. A store whose memory is elsewhere loads what a batch needs before it
/// decides: `LedgerLookups` lists the keys.
package protocol LedgerMemory {
    /// Returns what is remembered of an event; nil when it is new.
    func event(_ key: KeyHash) -> KnownEvent?

    /// Returns the order that is kept under the key of its reference. A memory that finds orders by
    /// a part of the key checks them with `Order.isNamed(_:)`.
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

    /// Returns a full order that this memory has found, with its facts.
    func decoded(_ full: FullOrder) -> StoredOrder
}

/// The changes of a durable batch (`PendingBatch.apply(to:)`).
package protocol LedgerChanges {
    /// Remembers an event; one that is there already is replaced.
    mutating func remember(_ key: KeyHash, _ event: KnownEvent)

    /// Stores the order under `key`, in place of the one at `order.address`; or takes that one away
    /// when `order.isRemoved`. Without an address the order is new, and removing it does nothing.
    mutating func store(_ order: StoredOrder, under key: KeyHash)

    /// Updates the later records of a full order: only `full.later` has changed.
    mutating func updateLater(of full: FullOrder, under key: KeyHash)

    /// Lets the key of an id or of a reference lead to the order that is kept under `order`, beside
    /// the orders to which it leads already. A pair that is there stays once.
    mutating func attach(_ pointer: KeyHash, to order: KeyHash)

    /// Notes the newest record of the batch.
    mutating func advance(to sequence: UInt64, received: Timestamp)
}

/// An event in a store's memory.
package struct KnownEvent: Sendable, Equatable {
    /// The record that holds the event.
    package var sequence: UInt64
    /// 24 bits of a keyed hash over the event's content.
    package var fingerprint: UInt32

    package static let fingerprintMask: UInt32 = 0xff_ffff

    package init(sequence: UInt64, fingerprint: UInt32) {
        self.sequence = sequence
        self.fingerprint = fingerprint
    }
}

/// The place of an order in a memory: a number that only that memory interprets.
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

/// The condition that the wanted order meets.
package enum OrderQuestion {
    case isNamed(String)
    /// Of a try's reference, which is not the order's own.
    case hasTry(String)
    case isKnown(String, OrderReference.Role)
    case holds(String)
    case names(String)

    package func isMet(by order: Order) -> Bool {
        switch self {
        case .isNamed(let reference), .hasTry(let reference): order.isNamed(reference)
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
        case .hasTry(let reference): encoded.isKnown(as: reference, role: .payment)
        case .isKnown(let reference, let role): encoded.isKnown(as: reference, role: role)
        case .holds(let id): encoded.holds(id)
        case .names(let id): encoded.names(id)
        }
    }
}

import Payments
import Records

/// The keys that decisions look up in a store's memory.
///
/// A store whose memory is elsewhere adds all submissions of a batch, loads what the keys lead to,
/// and decides then. Decisions ask for no other order afterwards. They ask for one more event where
/// an event is known with other content (`addConflict` lists that, too), and for more pointers
/// where the notification moves operations to which others point.
///
/// | set | look-up | what to load |
/// |---|---|---|
/// | `events` | `LedgerMemory.event(_:)` | what is remembered of the event |
/// | `orders` | `LedgerMemory.order(_:named:endpoint:)` | the order that is kept under the key |
/// | `pointers` | `LedgerMemory.forEachOrder` | orders under keys that the pointer leads to |
package struct LedgerLookups: Sendable {
    package private(set) var events: Set<KeyHash> = []
    package private(set) var orders: Set<KeyHash> = []
    package private(set) var pointers: Set<KeyHash> = []

    package init() {}

    /// Adds what the decision on a notification looks up.
    package mutating func add(
        _ notification: Notification, _ hashes: NotificationHashes, _ keys: inout KeyMaker
    ) {
        events.insert(hashes.event)
        if let reference = hashes.reference {
            orders.insert(reference)
            pointers.insert(reference)
        }
        if let transaction = hashes.transaction { pointers.insert(transaction) }
        if let id = notification.effect.id, !id.isEmpty {
            pointers.insert(keys.transaction(hashes.endpoint, id))
        }
    }

    /// Adds what is looked up besides when the event of a notification is known with other content.
    package mutating func addConflict(
        _ notification: Notification, _ hashes: NotificationHashes, _ keys: inout KeyMaker
    ) {
        events.insert(
            keys.conflict(
                hashes.endpoint, id: notification.id, reference: notification.reference,
                content: hashes.content))
    }

    /// Adds what decisions have asked for besides.
    package mutating func add(events more: Set<KeyHash>, pointers others: Set<KeyHash>) {
        events.formUnion(more)
        pointers.formUnion(others)
    }

    private mutating func add(
        registrationFor reference: String, endpoint: UInt16, _ keys: inout KeyMaker
    ) {
        events.insert(keys.expectation(endpoint, reference))
        let key = keys.reference(endpoint, reference)
        orders.insert(key)
        pointers.insert(key)
    }

    /// Adds what the decision on a registration looks up.
    package mutating func add(
        _ registered: RegisteredExpectation, for reference: String, endpoint: UInt16,
        _ keys: inout KeyMaker
    ) {
        add(registrationFor: reference, endpoint: endpoint, &keys)
        guard let order = registered.order else { return }
        let key = keys.reference(endpoint, order)
        orders.insert(key)
        pointers.insert(key)
    }

    /// Adds what the decision on an act looks up.
    package mutating func add(_ action: RecordedAction, endpoint: UInt16, _ keys: inout KeyMaker) {
        events.insert(keys.event(endpoint, id: action.id))
        guard let reference = action.reference else { return }
        add(registrationFor: reference, endpoint: endpoint, &keys)
        for name in action.separated {
            orders.insert(keys.reference(endpoint, name.value))
            pointers.insert(keys.transaction(endpoint, name.value))
        }
    }

    /// Removes all keys and keeps the memory for the next batch.
    package mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        orders.removeAll(keepingCapacity: true)
        pointers.removeAll(keepingCapacity: true)
    }
}

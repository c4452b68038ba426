import Payments

/// The order that a notification is about, and what must be changed so that it is found there.
package struct OrderPlace: ~Copyable {
    /// Where the order is kept: under its reference, or else under the least of its ids.
    package private(set) var key: KeyHash
    package var stored: StoredOrder
    /// Where the order's parts were kept before, each as it was and marked as removed.
    package private(set) var moved: [(KeyHash, StoredOrder)] = []
    /// The references of orders that are part of this one from now on.
    package private(set) var absorbed: [String] = []
    /// The ids under which parts of it were kept that had no reference.
    package private(set) var absorbedIDs: [String] = []
    /// Keys of ids and references that have to lead here and do not yet.
    package private(set) var pointers: [KeyHash] = []
    private let sources: [(key: KeyHash, stored: StoredOrder)]
    /// The status of what several sources came to before the notification.
    private let joined: OrderStatus?

    /// - Parameter sources: All orders that the notification names, each once; none when it is the
    ///   first that is heard of the order.
    package init(_ sources: [(key: KeyHash, stored: StoredOrder)], endpoint: UInt16) {
        self.sources = sources
        key = KeyHash(low: 0, high: 0)
        guard let first = sources.first else {
            stored = StoredOrder(endpoint: endpoint, order: Order())
            joined = nil
            return
        }
        key = first.key
        stored = first.stored
        stored.status = nil
        for source in sources.dropFirst() { stored.merge(source.stored) }
        joined = sources.count > 1 ? stored.order.status : nil
    }

    package var order: Order {
        get { stored.order }
        _modify { yield &stored.order }
    }

    /// The order's status before the notification; nil when nothing was known of it.
    var previous: OrderStatus? {
        if let joined { return joined }
        return sources.first.map { $0.stored.status ?? $0.stored.order.status }
    }

    /// To be called when the order is as it will be kept: finds its place, and what must lead
    /// there.
    ///
    /// - Parameter added: The notification that was applied; nil when it was not one.
    package mutating func settle(_ keys: KeyMaker, endpoint: UInt16, added: Notification?) {
        let new = order
        let key = keys.key(of: new, endpoint)
        let isWhereItWas = sources.count == 1 && sources[0].key == key
        self.key = key
        stored.address = sources.first { $0.key == key }?.stored.address
        for source in sources where source.key != key {
            var removed = source.stored
            removed.isRemoved = true
            moved.append((source.key, removed))
            // Two orders are one from now on: lists of orders have to drop the other name.
            let old = source.stored.order
            if let reference = old.reference {
                if !new.isNamed(reference) { absorbed.append(reference) }
            } else if let id = old.leastID {
                absorbedIDs.append(id)
            }
        }
        if isWhereItWas, let added {
            notePointers(of: added, to: new, keys, endpoint)
        } else {
            pointers = Set(new.ids).map { keys.transaction(endpoint, $0) }
            pointers += new.aliases.map { keys.reference(endpoint, $0) }
        }
    }

    /// What the notification names for the first time.
    private mutating func notePointers(
        of notification: Notification, to new: Order, _ keys: KeyMaker, _ endpoint: UInt16
    ) {
        let before = sources[0].stored.order
        for case let id? in [notification.transaction, notification.effect.id]
        where !id.isEmpty && new.holds(id) {
            // What the batch makes of an order is found by the batch's own pointers only.
            if !before.holds(id) || (!before.names(id) && new.names(id)) {
                pointers.append(keys.transaction(endpoint, id))
            }
        }
        for case let reference? in [notification.reference, notification.alias]
        where !new.isNamed(reference) {
            if !before.isKnown(as: reference, role: .alias)
                || (!before.isKnown(as: reference) && new.isKnown(as: reference))
            {
                pointers.append(keys.reference(endpoint, reference))
            }
        }
    }
}

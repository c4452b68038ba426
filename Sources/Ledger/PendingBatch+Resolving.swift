import Payments

/// Which order a notification is about.
///
/// An order is everything that its references and provider ids hold together. A notification says
/// of those that it names that they belong to one order:
///
/// | it names | order |
/// |---|---|
/// | a reference | the one that is known under it, if any |
/// | the id of a transaction | each that holds the id, whatever id of it that is |
/// | an id of its own | each in which something refers to the id |
/// | an id of its own, and neither of the two above | each that holds it |
/// | an alias | none: it only leads to the order from now on |
///
/// Where these are several, they are one order from now on, unless one of them is full: what a full
/// order holds stays as it is, and so does what it would be joined with (table at `settle`). Where
/// they are none, a new one begins, kept under its reference, or else under the least of its ids
/// until a reference comes. Two operations of the same id are no reason to make one order of two:
/// some systems count their refunds from 1 for each payment.
extension PendingBatch {
    /// The order that a notification is about.
    enum Resolution: ~Copyable {
        case order(OrderPlace)
        /// One that is full, with all of the flags that the notification brings.
        case full(key: KeyHash, FullOrder)
    }

    /// The orders that a notification names, as one.
    ///
    /// - Parameter flags: What the order will be marked with.
    func resolve(
        _ notification: Notification, _ hashes: NotificationHashes, marking flags: FlagSet,
        in memory: borrowing some LedgerMemory
    ) -> Resolution {
        let endpoint = hashes.endpoint
        var found: [(key: KeyHash, order: FoundOrder)] = []
        if let reference = notification.reference, let key = hashes.reference,
            let known = order(known: reference, key, endpoint: endpoint, in: memory)
        {
            found.append(known)
            if case .full(let full) = known.order {
                return resolution(known.key, full, marking: flags, in: memory)
            }
        }
        let isNamed = !found.isEmpty
        if let transaction = notification.transaction, let key = hashes.transaction {
            collect(&found, by: key, endpoint, in: memory, .holds(transaction))
        }
        if let id = notification.effect.id, !id.isEmpty {
            let key = keys.transaction(endpoint, id)
            let isOnlyName = notification.reference == nil && notification.transaction == nil
            collect(&found, by: key, endpoint, in: memory, isOnlyName ? .holds(id) : .names(id))
        }
        return settle(found, isNamed: isNamed, endpoint, marking: flags, in: memory)
    }

    /// The same, always with the order's facts.
    func place(
        of notification: Notification, _ hashes: NotificationHashes,
        in memory: borrowing some LedgerMemory
    ) -> OrderPlace {
        switch resolve(notification, hashes, marking: FlagSet(), in: memory) {
        case .order(let place): return place
        case .full(let key, let full):
            return OrderPlace(
                [(key, decoded(full, key, in: memory))], endpoint: hashes.endpoint)
        }
    }

    /// What to make of the orders that a notification names, the one known under its reference
    /// first.
    ///
    /// | orders | the notification's |
    /// |---|---|
    /// | none is full | all, as one |
    /// | one is full, and there is one under the reference | that one, full from now on |
    /// | one is full, and there is none under the reference | the full one |
    /// | several are full, and there is none under the reference | the least of these by name |
    ///
    /// An order beside a full one is full from then on: it cannot know what the other holds.
    private func settle(
        _ found: [(key: KeyHash, order: FoundOrder)], isNamed: Bool, _ endpoint: UInt16,
        marking flags: FlagSet, in memory: borrowing some LedgerMemory
    ) -> Resolution {
        var open: [(key: KeyHash, stored: StoredOrder)] = []
        var full: [(key: KeyHash, order: FullOrder)] = []
        for (key, order) in found {
            switch order {
            case .open(let order): open.append((key, order))
            case .full(let order): full.append((key, order))
            }
        }
        guard let least = full.min(by: { FullOrder.precedes($0.order, $1.order) }) else {
            return .order(OrderPlace(open, endpoint: endpoint))
        }
        guard isNamed else { return resolution(least.key, least.order, marking: flags, in: memory) }
        var place = OrderPlace([open[0]], endpoint: endpoint)
        place.order.markFull()
        return .order(place)
    }

    private func resolution(
        _ key: KeyHash, _ full: FullOrder, marking flags: FlagSet,
        in memory: borrowing some LedgerMemory
    ) -> Resolution {
        if full.flags.isSuperset(of: flags) { return .full(key: key, full) }
        return .order(
            OrderPlace([(key, decoded(full, key, in: memory))], endpoint: full.endpoint))
    }

    /// The order that is known under a reference that is not just an alias.
    private func order(
        known reference: String, _ key: KeyHash, endpoint: UInt16,
        in memory: borrowing some LedgerMemory
    ) -> (key: KeyHash, order: FoundOrder)? {
        if let order = order(key, named: reference, endpoint: endpoint, in: memory) {
            return (key, order)
        }
        var found: [(key: KeyHash, order: FoundOrder)] = []
        collect(&found, by: key, endpoint, in: memory, .isKnown(reference, .operation))
        return found.first
    }
}

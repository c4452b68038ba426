import Payments

/// The order that a notification is about, and the changes that make it found again.
package struct OrderPlace: ~Copyable {
    /// An order as it is kept from now on, and its key.
    package struct Kept {
        package var key: KeyHash
        package var stored: StoredOrder
    }

    /// An order that changed beside the one that the notification is about.
    package struct Touched: Sendable, Equatable {
        package var reference: String?
        /// Of one without a reference.
        package var id: String?
        /// Its first record, where the order begins with this change.
        package var first: UInt64?
    }

    /// The key under which the order is kept: of its reference, or else of the least of its ids.
    package private(set) var key = KeyHash(low: 0, high: 0)
    /// Orders that are no longer kept under their keys, each as it was and marked as removed.
    package private(set) var moved: [(KeyHash, StoredOrder)] = []
    /// Other orders that got or lost guests, or got rivals.
    package private(set) var others: [Kept] = []
    package private(set) var touched: [Touched] = []
    /// The references of orders that are part of this one from now on.
    package private(set) var absorbed: [String] = []
    /// The ids under which orders without a reference were kept that are part of this one.
    package private(set) var absorbedIDs: [String] = []
    /// Keys of ids and references that must lead to an order from now on.
    package private(set) var pointers: [(pointer: KeyHash, order: KeyHash)] = []
    var joining: Joining

    init(_ joining: Joining) { self.joining = joining }

    /// The order, yielded where it is, because a copy counts some ten references.
    package var stored: StoredOrder {
        _read { yield joining.members.span[joining.target].now }
    }

    package var order: Order {
        _read { yield joining.members.span[joining.target].now.order }
    }

    private var before: StoredOrder? {
        _read { yield joining.members.span[joining.target].before }
    }

    /// The order's status before the notification; nil when nothing was known of it.
    var previous: OrderStatus? {
        if let before { return before.status ?? before.order.status }
        let emptied = joining.members.first { $0.isChanged && $0.now.isVoid && $0.before != nil }
        return emptied?.before.map { $0.status ?? $0.order.status }
    }

    /// Whether the order begins with this notification.
    var isNew: Bool { before == nil }

    /// Adds a record.
    mutating func add(_ sequence: UInt64) {
        let seat = joining.seat
        joining.changeTarget { $0.add(sequence, seat) }
    }

    mutating func note(status: OrderStatus?) {
        joining.members[joining.target].now.status = status
    }

    /// Another change of the order.
    mutating func change(_ change: (inout StoredOrder) -> Void) { joining.changeTarget(change) }

    /// Finds the key of the order, and what must lead to it. Called when the order is as it will be
    /// kept.
    ///
    /// - Parameters:
    ///   - added: The notification that was applied; nil when it was not one.
    ///   - hashes: The notification's, where they are known: they need not be computed again.
    package mutating func settle(
        _ keys: KeyMaker, endpoint: UInt16, added: Notification?,
        _ hashes: NotificationHashes? = nil
    ) {
        if let known = hashes?.reference, let reference = added?.reference,
            order.reference.isExactly(reference)
        {
            key = known
        } else {
            key = keys.key(of: order, endpoint)
        }
        if joining.members.count == 1 { return settleAlone(keys, endpoint, added, hashes) }
        let target = joining.members[joining.target]
        let new = target.now.order
        var addresses: [KeyHash: OrderAddress] = [:]
        var kept: Set<KeyHash> = [key]
        for member in joining.members {
            if let key = member.key { addresses[key] = member.before?.address }
            if !member.now.isVoid { kept.insert(keys.key(of: member.now.order, endpoint)) }
        }
        for member in joining.members {
            guard member.isChanged, let key = member.key, var removed = member.before,
                !kept.contains(key)
            else { continue }
            removed.isRemoved = true
            moved.append((key, removed))
        }
        joining.members[joining.target].now.address = addresses[key]
        let didOthersChange = settleOthers(keys, endpoint, addresses)
        noteAbsorbed(by: new, keys)
        if target.key == key, !didOthersChange, let added {
            notePointers(of: added, to: new, keys, endpoint)
        } else {
            attach(target.now, to: key, keys, endpoint)
        }
    }

    /// The same for an order without others, as nearly all are.
    private mutating func settleAlone(
        _ keys: KeyMaker, _ endpoint: UInt16, _ added: Notification?,
        _ hashes: NotificationHashes?
    ) {
        let before = joining.members[0].key
        let isMoved = joining.members[0].isChanged && before != nil && before != key
        if isMoved, let before, var removed = self.before {
            removed.isRemoved = true
            moved.append((before, removed))
            noteAbsorbed(by: order, keys)
        }
        joining.members[0].now.address = before == key ? self.before?.address : nil
        if before == key, let added {
            notePointers(of: added, to: order, keys, endpoint)
        } else if let known = hashes?.transaction, let id = order.onlyID,
            (added?.transaction).isExactly(id)
        {
            pointers.append((known, key))
        } else {
            attach(stored, to: key, keys, endpoint)
        }
    }

    /// Returns whether an order beside the target has changed.
    private mutating func settleOthers(
        _ keys: KeyMaker, _ endpoint: UInt16, _ addresses: [KeyHash: OrderAddress]
    ) -> Bool {
        var didChange = false
        for (index, member) in joining.members.enumerated()
        where index != joining.target && member.isChanged {
            didChange = true
            if member.now.isVoid { continue }
            let key = keys.key(of: member.now.order, endpoint)
            var stored = member.now
            stored.address = addresses[key]
            others.append(Kept(key: key, stored: stored))
            if member.key != key || member.before?.order.ids.count != stored.order.ids.count {
                attach(stored, to: key, keys, endpoint)
            }
            let reference = stored.order.reference
            touched.append(
                Touched(
                    reference: reference, id: reference == nil ? stored.order.leastID : nil,
                    first: member.key == key ? nil : stored.sequences.first))
        }
        return didChange
    }

    /// Notes the names of orders that are part of this one from now on: lists drop them.
    private mutating func noteAbsorbed(by new: Order, _ keys: KeyMaker) {
        for member in joining.members where member.isChanged {
            guard let before = member.before?.order else { continue }
            if let reference = before.reference {
                let isGone = member.now.isVoid && !new.reference.isExactly(reference)
                if isGone { absorbed.append(reference) }
            } else if let id = before.leastID {
                let isThere =
                    !member.now.isVoid && member.now.order.reference == nil
                    && member.now.order.leastID.isExactly(id)
                if !isThere { absorbedIDs.append(id) }
            }
        }
    }

    private mutating func attach(
        _ stored: StoredOrder, to key: KeyHash, _ keys: KeyMaker, _ endpoint: UInt16
    ) {
        pointers += keys.pointers(to: stored).map { ($0, key) }
    }

    /// Adds pointers for the names that the notification brings to the order.
    private mutating func notePointers(
        of notification: Notification, to new: Order, _ keys: KeyMaker, _ endpoint: UInt16
    ) {
        guard let before = before?.order else { return }
        for case let id? in [notification.transaction, notification.effect.id]
        where !id.isEmpty && new.holds(id) && !before.holds(id) {
            pointers.append((keys.transaction(endpoint, id), key))
        }
        for case let reference? in [notification.reference, notification.alias]
        where !new.isNamed(reference) && !before.isKnown(as: reference, role: .alias) {
            pointers.append((keys.reference(endpoint, reference), key))
        }
    }
}

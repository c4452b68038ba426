import Payments

/// Finds the order that a notification is about.
///
/// The look-ups collect all orders that the notification names, or that hold a name of it.
/// `Joining` decides which of them it is about, and what moves.
///
/// | it names | looked up |
/// |---|---|
/// | a reference | the order whose own it is, or of which it is a try |
/// | the id of a transaction | each that holds the id, whatever id of it that is |
/// | its operation's id | each that holds the id |
/// | an alias | none: it only leads to the order from now on |
///
/// Ids that are unique within a reference lead to no other order. Where ids may point to
/// operations, and the notification moves some, what points to these is looked up as well.
extension PendingBatch {
    /// The order that a notification is about.
    enum Resolution: ~Copyable {
        case order(OrderPlace)
        /// A full order that has all flags of the notification.
        case full(key: KeyHash, FullOrder)
    }

    /// Finds the order of a notification.
    ///
    /// - Parameter flags: The flags that the notification adds to the order.
    func resolve(
        _ notification: Notification, _ hashes: NotificationHashes, marking flags: FlagSet,
        in memory: borrowing some LedgerMemory
    ) -> Resolution {
        let endpoint = hashes.endpoint
        let seat = Seat(notification)
        var found: [(key: KeyHash, order: FoundOrder)] = []
        if let reference = notification.reference, let key = hashes.reference {
            collect(&found, named: reference, key, endpoint, in: memory)
            if case .own = seat, case (let key, .full(let full))? = found.first {
                return resolution(key, full, seat, marking: flags, in: memory)
            }
        }
        let named = found.first
        if notification.reference == nil || notification.ids != .reference {
            if let transaction = notification.transaction, let key = hashes.transaction {
                collect(&found, by: key, endpoint, in: memory, .holds(transaction))
            }
            if let id = notification.effect.id, !id.isEmpty {
                let key = keys.transaction(endpoint, id)
                collect(&found, by: key, endpoint, in: memory, .holds(id))
            }
        }
        collectFollowers(&found, of: notification, seat, endpoint, in: memory)
        var joining = Joining(found, seat, alias: notification.alias, endpoint: endpoint)
        if case .full? = named?.order { joining.fullOfTry = named?.key }
        guard let index = joining.choose() else { return .order(OrderPlace(consume joining)) }
        let (key, full) = joining.full[index]
        return resolution(key, full, seat, marking: flags, in: memory)
    }

    /// Adds the order whose own the reference is, or of which it is a try.
    private func collect(
        _ found: inout [(key: KeyHash, order: FoundOrder)], named reference: String,
        _ key: KeyHash, _ endpoint: UInt16, in memory: borrowing some LedgerMemory
    ) {
        if let order = order(key, named: reference, endpoint: endpoint, in: memory) {
            found.append((key, order))
        } else {
            collect(&found, by: key, endpoint, in: memory, .hasTry(reference))
        }
    }

    /// Finds the shop's order for a try, and ties the try to it. Throws `orderFull` when one of
    /// them is full, or both together have more facts than an order holds, and `triesFull`.
    func place(
        tying reference: String, to order: String, _ endpoint: UInt16,
        in memory: borrowing some LedgerMemory
    ) throws(ActionRefusal) -> OrderPlace {
        var found: [(key: KeyHash, order: FoundOrder)] = []
        for name in [order, reference] {
            var named: [(key: KeyHash, order: FoundOrder)] = []
            collect(&named, named: name, keys.reference(endpoint, name), endpoint, in: memory)
            for order in named where !found.contains(where: { $0.key == order.key }) {
                found.append(order)
            }
        }
        var count = Order.factsOfOne
        for (_, order) in found {
            guard case .open(let stored) = order, !stored.order.isFull else { throw .orderFull }
            count += stored.order.factCount
        }
        guard count <= factsMax else { throw .orderFull }
        var joining = Joining(
            found, Seat(.expectation(order)), alias: nil, endpoint: endpoint)
        _ = joining.choose()
        joining.tie(reference, to: order)
        let place = OrderPlace(joining)
        guard place.order.payable.count <= Order.triesMax else { throw .triesFull }
        return place
    }

    /// Adds the orders whose guests point to operations that this notification moves. There are
    /// some only where events arrived backwards: a refund of a capture, then the capture, then its
    /// payment, each with a different reference.
    private func collectFollowers(
        _ found: inout [(key: KeyHash, order: FoundOrder)], of notification: Notification,
        _ seat: Seat, _ endpoint: UInt16, in memory: borrowing some LedgerMemory
    ) {
        guard notification.ids == .anything else { return }
        var leading: Set<ExactText> = []
        switch seat {
        case .own:
            if case .attempt = notification.effect, let id = notification.transaction {
                leading = [ExactText(id)]
            } else if let id = notification.effect.id {
                leading = [ExactText(id)]
            }
        case .guest:
            if let id = notification.effect.id { leading = [ExactText(id)] }
        case .nowhere: return
        }
        // Where it is known already, nothing has to move.
        let isKnown = found.contains { order in
            guard case .open(let stored) = order.order else { return false }
            switch seat {
            case .own: return leading.contains { stored.main.hasOwn($0.text) }
            case .guest(let name):
                return stored.guests.contains { guest in
                    guest.name == name
                        && leading.contains { guest.order.hasOperation($0.text) }
                }
            case .nowhere: return true
            }
        }
        if isKnown { return }
        var seen = leading
        for _ in 0..<Joining.depthMax {
            var next: Set<ExactText> = []
            for case .open(let stored) in found.map(\.order) {
                for guest in stored.guests where leading.contains(guest.name.exactPointer) {
                    next.formUnion(guest.order.operationIDs.map { ExactText($0) })
                }
            }
            next.subtract(seen)
            if next.isEmpty || seen.count + next.count > Self.followedMax { return }
            seen.formUnion(next)
            for id in next.sorted() {
                collect(
                    &found, by: keys.transaction(endpoint, id.text), endpoint, in: memory,
                    .holds(id.text))
            }
            leading = next
        }
    }

    /// Most operations of one notification for which pointing operations are looked up.
    private static let followedMax = 64

    /// Finds the order of a notification, always with its facts.
    func place(
        of notification: Notification, _ hashes: NotificationHashes,
        in memory: borrowing some LedgerMemory
    ) -> OrderPlace {
        switch resolve(notification, hashes, marking: FlagSet(), in: memory) {
        case .order(let place): return place
        case .full(let key, let full): return place(of: full, key, Seat(notification), in: memory)
        }
    }

    private func place(
        of full: FullOrder, _ key: KeyHash, _ seat: Seat, in memory: borrowing some LedgerMemory
    ) -> OrderPlace {
        OrderPlace(Joining(decoded: decoded(full, key, in: memory), key, seat))
    }

    private func resolution(
        _ key: KeyHash, _ full: FullOrder, _ seat: Seat, marking flags: FlagSet,
        in memory: borrowing some LedgerMemory
    ) -> Resolution {
        if full.flags.isSuperset(of: flags), !full.isResolved { return .full(key: key, full) }
        return .order(place(of: full, key, seat, in: memory))
    }
}

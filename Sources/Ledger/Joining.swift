import Payments

/// Chooses the order of a notification, and moves guests that belong to another order because of
/// it. Pure: the result depends on which notifications arrived, not on their order of arrival.
///
/// An order has the facts that came with its reference, and guests: facts that came by an id alone,
/// or with a different reference (`Seat`). The first row that matches gives a guest's order:
///
/// | its pointer is | order |
/// |---|---|
/// | the id of a payment of the order that its reference names | that order |
/// | the id of a payment of one order | that order |
/// | the id of payments of several orders | the least of these by reference |
/// | the id of an operation, where the provider points to such | where that operation is |
/// | unknown, and it came with a reference | the order of that reference |
/// | unknown | an order without a reference, with all that point there |
///
/// So an operation's own id leads to no payment, and two orders that each have a reference never
/// become one. Orders of several references that claim a payment by one id are rivals: each is in
/// `review`. An order that a person has set apart gets nothing by an id. A full order neither takes
/// guests nor gives them. A notification that would fill an order, and has its own reference,
/// begins a separate order, which is marked full.
package struct Joining {
    struct Member {
        /// The key under which it was kept; nil when it is new.
        let key: KeyHash?
        let before: StoredOrder?
        var now: StoredOrder
        var isChanged = false
    }

    let endpoint: UInt16
    let seat: Seat
    var members: [Member]
    private(set) var full: [(key: KeyHash, order: FullOrder)] = []
    /// The member that the notification is about.
    private(set) var target = 0
    /// Whether the target is a part of a full order.
    private var beginsFull = false
    /// The operation's own reference, where it comes by an id.
    private let ownName: String?
    private var factsMax = Int.max
    /// The key of a full order of which the notification's reference is a try.
    var fullOfTry: KeyHash?

    enum Place {
        case member(Int)
        case full(Int)
        case new
    }

    /// - Parameters:
    ///   - found: The orders that the notification names, each once.
    ///   - alias: The notification's.
    init(
        _ found: [(key: KeyHash, order: FoundOrder)], _ seat: Seat, alias: String?, endpoint: UInt16
    ) {
        self.endpoint = endpoint
        self.seat = seat
        if case .guest(let name) = seat { ownName = name.reference ?? alias } else { ownName = nil }
        members = []
        for (key, order) in found {
            switch order {
            case .open(let order): members.append(Member(key: key, before: order, now: order))
            case .full(let order): full.append((key, order))
            }
        }
    }

    /// A full order with its facts.
    init(decoded: StoredOrder, _ key: KeyHash, _ seat: Seat) {
        endpoint = decoded.endpoint
        self.seat = seat
        ownName = nil
        members = [Member(key: key, before: decoded, now: decoded)]
    }

    /// Chooses the notification's order, and begins one where there is none. Returns the place of a
    /// full order, when it is that.
    mutating func choose() -> Int? {
        var place: Place
        var needsOwn = false
        switch seat {
        case .own(let reference): place = self.place(named: reference)
        case .guest(let name):
            let found = self.place(of: name)
            place = found
            if case .full(let index) = found, let ownName,
                !full[index].order.reference.isExactly(ownName)
            {
                // The full order takes no guests, so this reference is an order's own.
                place = self.place(named: ownName)
                if case .new = place { needsOwn = true }
            }
        case .nowhere: place = .new
        }
        switch place {
        case .full(let index): return index
        case .member(let index): target = index
        case .new:
            target = members.count
            members.append(Member(key: nil, before: nil, now: emptyOrder))
        }
        beginsFull = needsOwn
        return nil
    }

    // MARK: Places

    private func place(named reference: String) -> Place {
        if let index = members.firstIndex(where: { $0.now.order.isNamed(reference) }) {
            return .member(index)
        }
        let index = full.firstIndex {
            $0.order.reference.isExactly(reference)
                || $0.key == fullOfTry && ownName.isExactly(reference)
        }
        return index.map { .full($0) } ?? .new
    }

    private func place(of name: GuestName) -> Place {
        let own = name.reference.map { place(named: $0) }
        if name.reach.isOfPayments {
            if case .member(let index) = own, members[index].now.main.hasPayment(name.pointer) {
                return .member(index)
            }
            if let owner = owner(of: name.pointer) { return owner }
        }
        if name.reach.isOfOperations, let host = host(of: name) { return host }
        if let own { return own }
        if let index = members.firstIndex(where: {
            $0.now.order.reference == nil && $0.now.order.names(name.pointer)
        }) {
            return .member(index)
        }
        return full.firstIndex { $0.order.isUnjoined }.map { .full($0) } ?? .new
    }

    /// The first by reference of the orders that have a payment under this id.
    private func owner(of id: String) -> Place? {
        var owners: [(name: String, place: Place)] = []
        for index in members.indices where isOwner(index, of: id) {
            owners.append((members[index].now.main.reference ?? "", .member(index)))
        }
        for (index, found) in full.enumerated() {
            if let reference = found.order.reference { owners.append((reference, .full(index))) }
        }
        return owners.min { ExactText($0.name) < ExactText($1.name) }?.place
    }

    private func isOwner(_ index: Int, of id: String) -> Bool {
        let order = members[index].now
        return !order.isApart && order.main.reference != nil && order.main.hasPayment(id)
    }

    /// The order that has the operation with this id; the first by name of several.
    private func host(of name: GuestName) -> Place? {
        let hosts = members.indices.filter { index in
            let order = members[index].now
            return !order.isApart && takes(name, at: index)
                && (order.main.hasOperation(name.pointer)
                    || order.guests.contains {
                        $0.name != name && $0.order.hasOperation(name.pointer)
                    })
        }
        let least = hosts.min { left, right in
            let (left, right) = (members[left].now.order, members[right].now.order)
            switch (left.reference, right.reference) {
            case (_?, nil): return true
            case (nil, _?): return false
            case (let left?, let right?): return ExactText(left) < ExactText(right)
            case (nil, nil):
                return ExactText(left.leastID ?? "") < ExactText(right.leastID ?? "")
            }
        }
        return least.map { .member($0) }
    }

    /// Whether the order may take this guest. In an order that has no facts but guests, a guest's
    /// reference would become the order's name.
    private func takes(_ name: GuestName, at index: Int) -> Bool {
        name.reference == nil || members[index].now.main.reference != nil
    }

    // MARK: Changes

    /// Applies the notification, and moves the guests that point to what it reports.
    mutating func apply(_ notification: Notification, factsMax: Int) {
        self.factsMax = factsMax
        if let ownName, wouldFill(target), !members[target].now.order.isNamed(ownName) {
            change(target) { $0.markFull() }
            target = members.count
            members.append(Member(key: nil, before: nil, now: emptyOrder))
            beginsFull = true
        }
        if notification.reference == nil, let ownName,
            beginsFull || members[target].now.order.isNamed(ownName)
        {
            // Of an order that a full one could not take in, the operation's reference is its own.
            var named = notification
            named.reference = ownName
            named.alias = nil
            return add(named)
        }
        add(notification)
    }

    private mutating func add(_ notification: Notification) {
        var payment: String?
        if case .own = seat, case .attempt = notification.effect, notification.ids != .reference {
            payment = notification.transaction
        }
        let isNewPayment =
            payment.map { !members.span[target].now.main.hasPayment($0) } ?? false
        members[target].now.apply(notification, seat, factsMax: factsMax)
        noteChange(of: target)
        if beginsFull { change(target) { $0.markFull() } }
        if members.span[target].now.order.isFull || notification.ids == .reference { return }
        // Nearly every order is alone, and has no guests that could move.
        if members.count == 1, full.isEmpty, members.span[0].now.guests.isEmpty { return }
        if let payment, isNewPayment {
            noteRivals(over: payment)
            // A full order without a reference may hold facts of this payment, which are not read.
            if full.contains(where: { $0.order.isUnjoined }) { change(target) { $0.markFull() } }
            follow(rearrange { $0.reach.isOfPayments && $0.pointer.isExactly(payment) })
        }
        if let id = notification.effect.id, !id.isEmpty {
            follow(rearrange { $0.reach.isOfOperations && $0.pointer.isExactly(id) })
        }
    }

    private var emptyOrder: StoredOrder { StoredOrder(endpoint: endpoint, order: Order()) }

    /// Whether one more notification is more than the member holds.
    private func wouldFill(_ index: Int) -> Bool {
        let order = members[index].now.order
        return !order.isFull && order.factCount + Order.factsOfOne > factsMax
    }

    /// Steps from an operation to one that points to it, and from that to the next, at most.
    package static let depthMax = 4

    /// Moves the guests that point to moved operations, and what points to these.
    private mutating func follow(_ moved: Set<ExactText>) {
        var ids = moved
        for _ in 0..<Self.depthMax where !ids.isEmpty {
            let leading = ids
            ids = rearrange {
                $0.reach == .anything && leading.contains(ExactText($0.pointer))
            }
        }
    }

    private mutating func change(_ index: Int, _ change: (inout StoredOrder) -> Void) {
        change(&members[index].now)
        noteChange(of: index)
    }

    private mutating func noteChange(of index: Int) {
        members[index].now.status = nil
        members[index].isChanged = true
    }

    private mutating func noteRivals(over id: String) {
        let owners = members.indices.filter { isOwner($0, of: id) }
        let names =
            owners.compactMap { members[$0].now.main.reference }
            + full.compactMap(\.order.reference)
        guard names.count > 1, owners.contains(target) else { return }
        // Each order keeps the least `rivalsMax` names besides its own.
        let least = Set(names.map { ExactText($0) }).sorted().prefix(StoredOrder.rivalsMax + 1)
        for index in owners {
            let own = members[index].now.main.reference
            var order = members[index].now
            if order.note(rivals: least.map(\.text).filter { !own.isExactly($0) }) {
                change(index) { $0 = order }
            }
        }
    }

    /// Moves the guests of these names that belong elsewhere, with what follows them. Returns the
    /// ids of the operations that have moved.
    private mutating func rearrange(_ isAffected: (GuestName) -> Bool) -> Set<ExactText> {
        var ids: Set<ExactText> = []
        for index in members.indices {
            for guest in members[index].now.guests where isAffected(guest.name) {
                // It may have moved with another one.
                guard members[index].now.guests.contains(where: { $0.name == guest.name }),
                    case .member(let place) = place(of: guest.name), place != index
                else { continue }
                move(guest.name, from: index, to: place)
                ids.formUnion(guest.order.operationIDs.map { ExactText($0) })
            }
        }
        uniteUnjoined()
        return ids
    }

    private mutating func move(_ name: GuestName, from source: Int, to place: Int) {
        let guest = members[source].now.guests.first { $0.name == name }
        let count = members[place].now.order.factCount + (guest?.order.factCount ?? 0)
        if !members[place].now.order.isFull, count > factsMax {
            change(place) { $0.markFull() }
        }
        if members[place].now.order.isFull {
            // It stays a separate order, marked as a part of a full one.
            return change(source) { $0.markFull() }
        }
        var moved: Guest?
        change(source) { moved = $0.remove(name) }
        guard let guest = moved else { return }
        change(place) { $0.add(guest) }
        let main = members[source].now.main
        for other in members[source].now.guests.map(\.name)
        where other.reach.isOfOperations && guest.order.hasOperation(other.pointer)
            && !main.hasPayment(other.pointer) && !main.hasOperation(other.pointer)
            && takes(other, at: place)
        {
            move(other, from: source, to: place)
        }
    }

    /// Unites orders without a reference that have guests of one pointer: at most one order is kept
    /// under it.
    private mutating func uniteUnjoined() {
        let places = members.indices.filter {
            members[$0].now.order.reference == nil && !members[$0].now.guests.isEmpty
        }
        guard places.count > 1 else { return }
        let first = places.contains(target) ? target : places[0]
        for place in places where place != first {
            let pointers = Set(members[first].now.guests.map { ExactText($0.name.pointer) })
            let others = members[place].now.guests.map(\.name)
            guard others.contains(where: { pointers.contains(ExactText($0.pointer)) }) else {
                continue
            }
            for name in others { move(name, from: place, to: first) }
        }
    }

    /// Removes all guests from the target, and lets no id add others: the effect of a `split`.
    mutating func separate() {
        change(target) { $0.setApart() }
        for name in members[target].now.guests.map(\.name) {
            guard members[target].now.guests.contains(where: { $0.name == name }) else { continue }
            let own = members[target].now.main.reference
            if name.reference != nil, name.reference.isExactly(own) { continue }
            switch place(of: name) {
            case .member(let place) where place != target: move(name, from: target, to: place)
            case .full, .member: break
            case .new:
                members.append(Member(key: nil, before: nil, now: emptyOrder))
                move(name, from: target, to: members.count - 1)
            }
        }
    }

    /// Ties the reference of a try to the target, the shop's order. What came with the reference
    /// before is the target's from now on.
    mutating func tie(_ reference: String, to order: String) {
        let index = members.firstIndex { $0.now.order.isNamed(reference) }
        guard let index, index != target else {
            return change(target) { $0.changeMain { $0.tie(reference, to: order) } }
        }
        let tried = members[index].now
        change(target) { $0.absorb(tried, as: reference, of: order) }
        change(index) { $0 = StoredOrder(endpoint: $0.endpoint, order: Order()) }
    }

    /// Another change of the target.
    mutating func changeTarget(_ change: (inout StoredOrder) -> Void) {
        self.change(target, change)
    }
}

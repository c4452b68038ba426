import Bytes
import Payments
import Records

/// An order as a store keeps it.
///
/// Its facts are in parts: its own, which came with its reference, and those of guests, which came
/// by an id (`Guest`). `order` has all of them.
///
/// | field | form | there when |
/// |---|---|---|
/// | endpoint | number, four times the endpoint's, + 1 of a full order, + 2 with extras | always |
/// | later records | two words of eight bytes: how many, the last | full |
/// | name | number, twice its bytes, + 1 of an unjoined order; text (below) | full |
/// | flags | number, the bits of `FlagSet` | full |
/// | length | number, the bytes of the sequences | full |
/// | sequences | their number; each as the difference to the one before | always |
/// | extras | `StoredOrder+Extras.swift` | extras |
/// | order | its own facts: `Order+Codec.swift` | always |
///
/// The name is the reference, or the least id of an unjoined order. Numbers are LEB128. The fields
/// before the sequences of a full order are its head (`FullOrder`). A full order has no guests: it
/// keeps all that it holds.
package struct StoredOrder: Sendable, Equatable {
    package var endpoint: UInt16
    /// All facts.
    package private(set) var order: Order
    /// The order's own facts, where it has guests; else none, and `order` is. An array of at most
    /// one, because few orders have guests.
    private var own: [Order] = []
    /// Sorted by name.
    package private(set) var guests: [Guest] = []
    /// References of other orders that claim an id of this one: the least few.
    package internal(set) var rivals: [String] = []
    /// Whether a person has split it: then no id joins anything to it.
    package internal(set) var isApart = false
    /// The records that belong to the order, ascending, each once.
    package var sequences: [UInt64]
    /// Those that came since it was full.
    package var later = LaterRecords()
    /// Where the store's memory holds it; nil while it is only in the batch.
    package var address: OrderAddress?
    /// Whether this batch moves it to another key, so that nothing is left under this one.
    package var isRemoved = false
    /// Its status, where that was computed since it changed.
    var status: OrderStatus?

    /// Most records that an order lists; of more the oldest are left out.
    package static let sequencesMax = 1000

    package init(
        endpoint: UInt16, order: Order, sequences: [UInt64] = [], address: OrderAddress? = nil
    ) {
        self.endpoint = endpoint
        self.order = order
        self.sequences = sequences
        self.address = address
    }

    /// The facts that came with its reference. Yielded where they are, because a copy counts
    /// references.
    package var main: Order {
        _read {
            if own.isEmpty { yield order } else { yield own[0] }
        }
    }

    /// The names of its guests, for `split`.
    package var partNames: [RecordedAction.PartName] {
        let names = guests.flatMap { guest in
            [
                RecordedAction.PartName(isReference: false, value: guest.name.pointer),
                guest.name.reference.map {
                    RecordedAction.PartName(isReference: true, value: $0)
                },
            ]
        }
        return names.compactMap(\.self)
    }

    /// Whether nothing is left of it.
    var isVoid: Bool { guests.isEmpty && order.isVoid }

    /// Decodes `encode(into:)`. Nil when the bytes are damaged.
    package init?(_ bytes: ArraySlice<UInt8>, address: OrderAddress? = nil) {
        var reader = LEB128Reader(bytes)
        var later = LaterRecords()
        guard let head = reader.endpoint() else { return nil }
        if head.isFull {
            guard let (full, parts) = Self.full(bytes) else { return nil }
            later = full.later
            reader = LEB128Reader(bytes[parts.sequences.startIndex...])
        }
        guard let sequences = reader.sequences(atMost: Self.sequencesMax) else { return nil }
        var extras = Extras()
        if head.hasExtras {
            guard let read = Extras(&reader) else { return nil }
            extras = read
        }
        guard let order = Order(encoded: reader.rest) else { return nil }
        self.init(endpoint: head.number, order: order, sequences: sequences, address: address)
        self.later = later
        rivals = extras.rivals
        isApart = extras.isApart
        guests = extras.guests
        setMain(order)
    }

    /// Returns the endpoint's number and whether the order is full, without decoding the rest.
    package static func endpoint(of bytes: ArraySlice<UInt8>) -> (number: UInt16, isFull: Bool)? {
        var reader = LEB128Reader(bytes)
        return reader.endpoint().map { ($0.number, $0.isFull) }
    }

    /// Returns the head of a full order, and the parts after it; nil of any other order.
    package static func full(
        _ bytes: ArraySlice<UInt8>
    ) -> (FullOrder, parts: (sequences: ArraySlice<UInt8>, order: ArraySlice<UInt8>))? {
        var reader = LEB128Reader(bytes)
        guard let endpoint = reader.endpoint(), endpoint.isFull,
            let later = reader.take(UInt64(LaterRecords.byteCount)),
            let name = reader.next(), let text = reader.text(name >> 1),
            let flags = reader.next().flatMap({ UInt32(exactly: $0) }),
            let flags = FlagSet(bits: flags),
            let count = reader.next(), let sequences = reader.take(count)
        else { return nil }
        if endpoint.hasExtras { guard Extras(&reader) != nil else { return nil } }
        let full = FullOrder(
            endpoint: endpoint.number, name: text, isUnjoined: name & 1 != 0, flags: flags,
            later: LaterRecords(bytes: later))
        return (full, (sequences, reader.rest))
    }

    /// The offset of the later records among the bytes of a full order.
    package static func laterOffset(endpoint: UInt16) -> Int {
        var bytes: [UInt8] = []
        LEB128.append(UInt64(endpoint) << 2 | 1, to: &bytes)
        return bytes.count
    }

    /// Appends the bytes that `init(_:)` reads.
    package func encode(into bytes: inout [UInt8]) {
        if !order.isFull, !isApart, rivals.isEmpty, guests.isEmpty {
            // As nearly all orders.
            LEB128.append(UInt64(endpoint) << 2, to: &bytes)
            LEB128.append(sequences: sequences, to: &bytes)
            return order.encode(into: &bytes)
        }
        let extras = Extras(isApart: isApart, rivals: rivals, guests: guests)
        let word = UInt64(endpoint) << 2 | (extras.isEmpty ? 0 : 2)
        guard order.isFull else {
            LEB128.append(word, to: &bytes)
            LEB128.append(sequences: sequences, to: &bytes)
            extras.encode(into: &bytes)
            return main.encode(into: &bytes)
        }
        LEB128.append(word | 1, to: &bytes)
        let head = FullOrder(self)
        bytes += later.bytes
        LEB128.append(
            UInt64(head.name.utf8.count) << 1 | (head.isUnjoined ? 1 : 0), to: &bytes)
        bytes += Array(head.name.utf8)
        LEB128.append(UInt64(head.flags.bits), to: &bytes)
        var encoded: [UInt8] = []
        LEB128.append(sequences: sequences, to: &encoded)
        LEB128.append(UInt64(encoded.count), to: &bytes)
        bytes += encoded
        extras.encode(into: &bytes)
        order.encode(into: &bytes)
    }
}

extension StoredOrder {
    /// Changes the order's own facts.
    mutating func changeMain(_ change: (inout Order) -> Void) {
        guard var main = own.first else { return change(&order) }
        change(&main)
        setMain(main)
    }

    private mutating func setMain(_ main: Order) {
        own = guests.isEmpty ? [] : [main]
        order = guests.isEmpty ? main : main.hosting(guests.map(\.order))
    }

    /// Applies the order rules to a notification, in its seat.
    mutating func apply(_ notification: Notification, _ seat: Seat, factsMax: Int) {
        if order.isFull || order.factCount + Order.factsOfOne > factsMax {
            if !order.isFull { markFull() }
            return order.apply(notification, factsMax: 0)
        }
        guard case .guest(let name) = seat else {
            changeMain { $0.apply(notification, factsMax: .max) }
            return adoptGuests()
        }
        let resolved = order.resolution.map { _ in order.applying(notification) }
        change(name) { $0.apply(notification, factsMax: .max) }
        if let resolved { changeMain { $0.adoptResolution(of: resolved) } }
    }

    /// Marks that an event came again with other content.
    mutating func markConflict(_ seat: Seat) {
        changeMain { main in
            let marked = main.markingConflict()
            if case .guest = seat { main.adoptResolution(of: marked) } else { main = marked }
        }
        if case .guest(let name) = seat { change(name) { $0 = $0.markingConflict() } }
    }

    /// Marks it full: it takes no further facts, and keeps what it holds.
    mutating func markFull() {
        guests = []
        own = []
        order.markFull()
    }

    private mutating func change(_ name: GuestName, _ change: (inout Order) -> Void) {
        if order.isFull { return change(&order) }
        let main = main
        let index = guests.firstIndex { !($0.name < name) } ?? guests.endIndex
        if index == guests.endIndex || guests[index].name != name {
            guests.insert(Guest(name: name, order: Order(), sequences: []), at: index)
        }
        change(&guests[index].order)
        setMain(main)
    }

    /// Makes guests its own that came with this order's reference and name one of its payments: no
    /// later notification moves them.
    private mutating func adoptGuests() {
        guard !guests.isEmpty, main.reference != nil else { return }
        while let index = guests.firstIndex(where: { guest in
            guest.name.reference.map { main.isNamed($0) } ?? false
                && main.hasPayment(guest.name.pointer)
        }) {
            let guest = guests[index]
            let main = main.adopting(guest.order)
            guests.remove(at: index)
            setMain(main)
        }
    }

    /// Removes a guest.
    mutating func remove(_ name: GuestName) -> Guest? {
        guard let index = guests.firstIndex(where: { $0.name == name }) else { return nil }
        let main = main
        let guest = guests.remove(at: index)
        sequences.removeAll { guest.sequences.contains($0) }
        setMain(main)
        status = nil
        return guest
    }

    /// Adds a guest.
    mutating func add(_ guest: Guest) {
        change(guest.name) { $0 = $0.merging(guest.order) }
        for sequence in guest.sequences { add(sequence, .guest(guest.name)) }
        adoptGuests()
        status = nil
    }

    /// Takes in another order, of which `reference` is the name, as a try of the shop's order.
    mutating func absorb(_ other: StoredOrder, as reference: String, of order: String) {
        changeMain { main in
            main = main.absorbing(other.main)
            main.tie(reference, to: order)
        }
        for sequence in other.sequences { add(sequence) }
        for guest in other.guests { add(guest) }
        isApart = isApart || other.isApart
        let names = main.references.filter { $0.role >= .payment }.map { ExactText($0.text) }
        let others = Set((rivals + other.rivals).map { ExactText($0) }).subtracting(names)
        rivals = isApart ? [] : others.sorted().prefix(Self.rivalsMax).map(\.text)
        if rivals.isEmpty { changeMain { $0.unmarkShared() } }
        status = nil
    }

    /// Adds a record; one that is there already stays once.
    mutating func add(_ sequence: UInt64, _ seat: Seat) {
        add(sequence)
        guard case .guest(let name) = seat,
            let index = guests.firstIndex(where: { $0.name == name })
        else { return }
        guests[index].sequences.insert(ascending: sequence, atMost: Self.sequencesMax)
    }

    /// Adds a record that is the order's own; one that is there already stays once.
    package mutating func add(_ sequence: UInt64) {
        if order.isFull && sequence > sequences.last ?? 0 { return later.add(sequence) }
        sequences.insert(ascending: sequence, atMost: Self.sequencesMax)
    }

    /// Notes other orders that claim an id of this one. Returns whether that is new.
    mutating func note(rivals others: [String]) -> Bool {
        let before = rivals.count
        let least = Set((rivals + others).map { ExactText($0) }).sorted().prefix(Self.rivalsMax)
        let isSame = zip(rivals, least).allSatisfy { $0.isExactly($1.text) }
        let isChange = before != least.count || !isSame
        rivals = least.map(\.text)
        if isChange { changeMain { $0.markShared() } }
        return isChange
    }

    /// Most rivals that an order names.
    package static let rivalsMax = 8

    /// Sets it apart: from now on no id joins anything to it, and rivals are ignored.
    mutating func setApart() {
        isApart = true
        rivals = []
        changeMain { $0.unmarkShared() }
    }
}

extension [UInt64] {
    fileprivate mutating func insert(ascending number: UInt64, atMost countMax: Int) {
        if let last, last >= number {
            let index = firstIndex { $0 >= number } ?? endIndex
            if self[index] == number { return }
            insert(number, at: index)
        } else {
            append(number)
        }
        if count > countMax { removeFirst() }
    }
}

extension LEB128Reader {
    fileprivate mutating func endpoint() -> (number: UInt16, isFull: Bool, hasExtras: Bool)? {
        next().flatMap { word in
            UInt16(exactly: word >> 2).map { ($0, word & 1 != 0, word & 2 != 0) }
        }
    }
}

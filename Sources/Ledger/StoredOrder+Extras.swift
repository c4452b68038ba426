import Bytes
import Payments

/// The part of an order's bytes that few orders have.
///
/// | field | form |
/// |---|---|
/// | apart | byte, 1 when a person has set the order apart |
/// | rivals | their number; each a text |
/// | guests | their number; each as below |
///
/// | of a guest | form |
/// |---|---|
/// | reach | byte, `GuestName.Reach` + 8 with a reference |
/// | reference | text, when there is one |
/// | pointer | text |
/// | sequences | as the order's |
/// | facts | the number of their bytes; `Order+Codec.swift` |
///
/// A text is its length and its UTF-8.
struct Extras {
    var isApart = false
    var rivals: [String] = []
    var guests: [Guest] = []

    var isEmpty: Bool { !isApart && rivals.isEmpty && guests.isEmpty }

    init(isApart: Bool = false, rivals: [String] = [], guests: [Guest] = []) {
        self.isApart = isApart
        self.rivals = rivals
        self.guests = guests
    }

    /// Nil when the bytes are damaged.
    init?(_ reader: inout LEB128Reader) {
        guard let apart = reader.take(1)?.first, apart < 2,
            let rivals = reader.next(), rivals <= UInt64(StoredOrder.rivalsMax)
        else { return nil }
        isApart = apart == 1
        for _ in 0..<rivals {
            guard let text = reader.text() else { return nil }
            self.rivals.append(text)
        }
        guard let count = reader.next() else { return nil }
        for _ in 0..<count {
            guard let guest = Self.guest(&reader) else { return nil }
            guests.append(guest)
        }
    }

    private static func guest(_ reader: inout LEB128Reader) -> Guest? {
        guard let head = reader.take(1)?.first,
            let reach = GuestName.Reach(rawValue: head & 7), head & ~0xf == 0
        else { return nil }
        var reference: String?
        if head & 8 != 0 {
            guard let text = reader.text() else { return nil }
            reference = text
        }
        guard let pointer = reader.text(),
            let sequences = reader.sequences(atMost: StoredOrder.sequencesMax),
            let count = reader.next(), let bytes = reader.take(count),
            let order = Order(encoded: bytes)
        else { return nil }
        return Guest(
            name: GuestName(reference: reference, pointer: pointer, reach: reach), order: order,
            sequences: sequences)
    }

    func encode(into bytes: inout [UInt8]) {
        if isEmpty { return }
        bytes.append(isApart ? 1 : 0)
        LEB128.append(UInt64(rivals.count), to: &bytes)
        for rival in rivals { LEB128.append(text: rival, to: &bytes) }
        LEB128.append(UInt64(guests.count), to: &bytes)
        for guest in guests {
            bytes.append(guest.name.reach.rawValue | (guest.name.reference == nil ? 0 : 8))
            if let reference = guest.name.reference {
                LEB128.append(text: reference, to: &bytes)
            }
            LEB128.append(text: guest.name.pointer, to: &bytes)
            LEB128.append(sequences: guest.sequences, to: &bytes)
            let facts = guest.order.encoded()
            LEB128.append(UInt64(facts.count), to: &bytes)
            bytes += facts
        }
    }
}

extension LEB128Reader {
    fileprivate mutating func text() -> String? { next().flatMap { text($0) } }

    mutating func sequences(atMost countMax: Int) -> [UInt64]? {
        guard let count = next(), count <= UInt64(countMax) else { return nil }
        var sequences: [UInt64] = []
        sequences.reserveCapacity(Int(count))
        var sequence: UInt64 = 0
        for _ in 0..<count {
            guard let difference = next() else { return nil }
            sequence &+= difference
            sequences.append(sequence)
        }
        return sequences
    }
}

extension LEB128 {
    static func append(sequences: [UInt64], to bytes: inout [UInt8]) {
        append(UInt64(sequences.count), to: &bytes)
        var last: UInt64 = 0
        for sequence in sequences {
            append(sequence - last, to: &bytes)
            last = sequence
        }
    }

    fileprivate static func append(text: String, to bytes: inout [UInt8]) {
        append(UInt64(text.utf8.count), to: &bytes)
        bytes += Array(text.utf8)
    }
}

/// The head of a full order: all that its further events need. Its facts, which no event changes
/// any more, are not read.
package struct FullOrder: Sendable, Equatable {
    package var endpoint: UInt16
    /// The order's reference; of an unjoined order the least of its ids.
    package var name: String
    package var isUnjoined: Bool
    /// The flags that came with notifications, and `resolved` while a person's decision is valid.
    package var flags: FlagSet
    package var later: LaterRecords
    /// Where the store's memory holds it; nil while it is only in the batch.
    package var address: OrderAddress?

    package var reference: String? { isUnjoined ? nil : name }
    var summary: OrderSummary { OrderSummary(full: flags, isUnjoined: isUnjoined) }
    /// Whether a person has resolved it. The next event ends that, and so needs its facts.
    var isResolved: Bool { flags.contains(.resolved) }

    /// Whether an event that names both counts for `left`: the same in every process.
    static func precedes(_ left: FullOrder, _ right: FullOrder) -> Bool {
        if left.isUnjoined != right.isUnjoined { return right.isUnjoined }
        return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
}

extension FullOrder {
    /// The head of an order that a batch has changed.
    package init(_ stored: StoredOrder) {
        let order = stored.order
        let reference = order.reference
        var flags = order.markedFlags
        flags.insert(.resolved, when: order.isResolved)
        self.init(
            endpoint: stored.endpoint, name: reference ?? order.leastID ?? "",
            isUnjoined: reference == nil, flags: flags, later: stored.later,
            address: stored.address)
    }
}

/// The records of an order since it was full. They are only counted, so that each costs the same.
package struct LaterRecords: Sendable, Equatable {
    package var count: UInt64 = 0
    /// The newest of them.
    package var last: UInt64 = 0

    /// Its size among an order's bytes: two words, so that it can be overwritten in place.
    package static let byteCount = 16

    /// Adds a record; one that is there already stays once.
    mutating func add(_ sequence: UInt64) {
        guard sequence > last else { return }
        count += 1
        last = sequence
    }

    package var bytes: [UInt8] {
        [count, last].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
        }
    }

    /// - Parameter bytes: `byteCount` of them.
    package init(bytes: ArraySlice<UInt8>) {
        func word(_ part: ArraySlice<UInt8>) -> UInt64 {
            part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        count = word(bytes.prefix(8))
        last = word(bytes.dropFirst(8))
    }

    package init() {}
}

import Bytes
import Payments

/// An order as a store keeps it.
///
/// | field | form | there when |
/// |---|---|---|
/// | endpoint | number, twice the endpoint's, + 1 of a full order | always |
/// | later records | two words of eight bytes: how many, the last | full |
/// | name | number, twice its bytes, + 1 of an unjoined order; text (below) | full |
/// | flags | number, the bits of `FlagSet` | full |
/// | length | number, the bytes of the sequences | full |
/// | sequences | their number; each as the difference to the one before | always |
/// | order | `Order+Codec.swift` | always |
///
/// The name is the reference, or the least id of an unjoined order. Numbers are LEB128. What stands
/// before the sequences of a full order is its head (`FullOrder`).
package struct StoredOrder: Sendable, Equatable {
    package var endpoint: UInt16
    package var order: Order
    /// The records that belong to the order, ascending, each once.
    package var sequences: [UInt64]
    /// Those that came when it was full.
    package var later = LaterRecords()
    /// Where the store's memory holds it; nil while only the batch knows the order.
    package var address: OrderAddress?
    /// Joined to another order by this batch, so that nothing is left under this key.
    package var isRemoved = false
    /// What the rules say of it, where that was asked since it changed.
    var status: OrderStatus?

    /// Beyond it the oldest are forgotten here; the records have them.
    package static let sequencesMax = 1000

    package init(
        endpoint: UInt16, order: Order, sequences: [UInt64] = [], address: OrderAddress? = nil
    ) {
        self.endpoint = endpoint
        self.order = order
        self.sequences = sequences
        self.address = address
    }

    /// Nil when the bytes are damaged.
    package init?(_ bytes: ArraySlice<UInt8>, address: OrderAddress? = nil) {
        var reader = LEB128Reader(bytes)
        if let (full, parts) = Self.full(bytes) {
            reader = LEB128Reader(bytes[parts.sequences.startIndex...])
            endpoint = full.endpoint
            later = full.later
        } else {
            guard let endpoint = reader.endpoint() else { return nil }
            self.endpoint = endpoint.number
        }
        guard let count = reader.next(), count <= UInt64(Self.sequencesMax) else { return nil }
        sequences = []
        sequences.reserveCapacity(Int(count))
        var sequence: UInt64 = 0
        for _ in 0..<count {
            guard let difference = reader.next() else { return nil }
            sequence &+= difference
            sequences.append(sequence)
        }
        guard let order = Order(encoded: reader.rest) else { return nil }
        self.order = order
        self.address = address
    }

    /// The endpoint's number alone, without decoding the rest, and whether the order is full.
    package static func endpoint(of bytes: ArraySlice<UInt8>) -> (number: UInt16, isFull: Bool)? {
        var reader = LEB128Reader(bytes)
        return reader.endpoint()
    }

    /// The head of a full order, and what is behind it; nil of any other.
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
        let full = FullOrder(
            endpoint: endpoint.number, name: text, isUnjoined: name & 1 != 0, flags: flags,
            later: LaterRecords(bytes: later))
        return (full, (sequences, reader.rest))
    }

    /// Where the later records of a full order stand among its bytes.
    package static func laterOffset(endpoint: UInt16) -> Int {
        var bytes: [UInt8] = []
        LEB128.append(UInt64(endpoint) << 1 | 1, to: &bytes)
        return bytes.count
    }

    /// Appends the bytes that `init(_:)` reads.
    package func encode(into bytes: inout [UInt8]) {
        guard order.isFull else {
            LEB128.append(UInt64(endpoint) << 1, to: &bytes)
            encodeSequences(into: &bytes)
            return order.encode(into: &bytes)
        }
        LEB128.append(UInt64(endpoint) << 1 | 1, to: &bytes)
        bytes += later.bytes
        let reference = order.reference
        let name = reference ?? order.leastID ?? ""
        LEB128.append(UInt64(name.utf8.count) << 1 | (reference == nil ? 1 : 0), to: &bytes)
        bytes += Array(name.utf8)
        LEB128.append(UInt64(order.markedFlags.bits), to: &bytes)
        var encoded: [UInt8] = []
        encodeSequences(into: &encoded)
        LEB128.append(UInt64(encoded.count), to: &bytes)
        bytes += encoded
        order.encode(into: &bytes)
    }

    private func encodeSequences(into bytes: inout [UInt8]) {
        LEB128.append(UInt64(sequences.count), to: &bytes)
        var last: UInt64 = 0
        for sequence in sequences {
            LEB128.append(sequence - last, to: &bytes)
            last = sequence
        }
    }
}

extension StoredOrder {
    /// Adds a record; one that is there already stays once.
    package mutating func add(_ sequence: UInt64) {
        if order.isFull && sequence > sequences.last ?? 0 { return later.add(sequence) }
        if let last = sequences.last, last >= sequence {
            let index = sequences.firstIndex { $0 >= sequence } ?? sequences.endIndex
            if sequences[index] == sequence { return }
            sequences.insert(sequence, at: index)
        } else {
            sequences.append(sequence)
        }
        if sequences.count > Self.sequencesMax { sequences.removeFirst() }
    }

    /// Takes over what is known of `other`, an order that belongs here.
    package mutating func merge(_ other: StoredOrder) {
        order = order.merging(other.order)
        for sequence in other.sequences { add(sequence) }
    }
}

extension LEB128Reader {
    fileprivate mutating func endpoint() -> (number: UInt16, isFull: Bool)? {
        next().flatMap { word in UInt16(exactly: word >> 1).map { ($0, word & 1 != 0) } }
    }
}

import Payments

/// An order as the arena keeps it: endpoint number, record sequences, then the order's own bytes.
///
/// The numbers are LEB128: seven bits a byte, least first. The sequences follow their count, each
/// as the difference to the one before.
struct OrderBlob: Sendable, Equatable {
    var endpoint: UInt16
    var order: Order
    /// The records that belong to the order, ascending, each once.
    var sequences: [UInt64]

    /// Beyond it the oldest are forgotten here; the journal has them.
    static let sequencesMax = 1000

    init(endpoint: UInt16, order: Order, sequences: [UInt64] = []) {
        self.endpoint = endpoint
        self.order = order
        self.sequences = sequences
    }

    /// Nil when the bytes are damaged.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let (endpoint, sequences, rest) = Self.head(of: bytes),
            let order = Order(encoded: rest)
        else { return nil }
        self.init(endpoint: endpoint, order: order, sequences: sequences)
    }

    /// What stands before the order's own bytes, and these; nil when it is damaged.
    static func head(
        of bytes: ArraySlice<UInt8>
    ) -> (endpoint: UInt16, sequences: [UInt64], rest: ArraySlice<UInt8>)? {
        var reader = VarintReader(bytes)
        guard let endpoint = reader.next(), endpoint <= UInt64(UInt16.max),
            let count = reader.next(), count <= UInt64(Self.sequencesMax)
        else { return nil }
        var sequences: [UInt64] = []
        sequences.reserveCapacity(Int(count))
        var sequence: UInt64 = 0
        for _ in 0..<count {
            guard let difference = reader.next() else { return nil }
            sequence &+= difference
            sequences.append(sequence)
        }
        return (UInt16(endpoint), sequences, reader.rest)
    }

    /// The endpoint's number alone, without decoding the rest.
    static func endpoint(of bytes: ArraySlice<UInt8>) -> UInt16? {
        var reader = VarintReader(bytes)
        return reader.next().flatMap { UInt16(exactly: $0) }
    }

    /// Adds a record; one that is there already stays once.
    mutating func add(_ sequence: UInt64) {
        if let last = sequences.last, last >= sequence {
            let index = sequences.firstIndex { $0 >= sequence } ?? sequences.endIndex
            if sequences[index] == sequence { return }
            sequences.insert(sequence, at: index)
        } else {
            sequences.append(sequence)
        }
        if sequences.count > Self.sequencesMax { sequences.removeFirst() }
    }

    /// Takes over what is known of `other`, an unjoined order of a transaction that belongs here.
    mutating func merge(_ other: OrderBlob) {
        order = order.merging(other.order)
        for sequence in other.sequences { add(sequence) }
    }

    /// Appends the bytes that `init(_:)` reads.
    func encode(into bytes: inout [UInt8]) {
        Varint.append(UInt64(endpoint), to: &bytes)
        Varint.append(UInt64(sequences.count), to: &bytes)
        var last: UInt64 = 0
        for sequence in sequences {
            Varint.append(sequence - last, to: &bytes)
            last = sequence
        }
        order.encode(into: &bytes)
    }
}

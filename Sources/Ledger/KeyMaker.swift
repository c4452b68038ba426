import Payments

/// The 128-bit keyed hash of an event's, an order's, a reference's or an id's name.
@frozen @usableFromInline
package struct KeyHash: Sendable, Hashable {
    @usableFromInline package var low: UInt64
    @usableFromInline package var high: UInt64

    @inlinable
    package init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    // The bits are uniform already, under a secret key: a second hash over them would be wasted in
    // the batch's dictionaries. The first of these is what `Dictionary` asks for.
    @inlinable
    package func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: high) ^ seed }
    @inlinable
    package func hash(into hasher: inout Hasher) { hasher.combine(high) }
}

/// The keys that a store looks up for a notification.
package struct NotificationHashes: Sendable {
    /// The endpoint's number.
    package var endpoint: UInt16
    /// The hash of the event's content.
    package var content: KeyHash
    package var event: KeyHash
    package var reference: KeyHash?
    package var transaction: KeyHash?
}

/// Makes the keys: the hash of a kind, the endpoint's number, and the text that is unique there.
package struct KeyMaker: Sendable {
    package let function: SipHash
    private var scratch: [UInt8] = []

    package init(function: SipHash) { self.function = function }

    private enum Kind: UInt8 {
        case event = 1
        case conflict, reference, transaction, expectation, eventOfReference
    }

    /// The identity of an event: its id and the merchant's reference. A dashboard's test button
    /// sends one id for every reference, and these are different events.
    package mutating func event(_ endpoint: UInt16, id: String, reference: String?) -> KeyHash {
        guard let reference else { return event(endpoint, id: id) }
        scratch.removeAll(keepingCapacity: true)
        append(id: id, reference: reference)
        return function.hash(Self.prefix(.eventOfReference, endpoint), count: 3, scratch.span)
    }

    /// The identity of an event that names no reference.
    package func event(_ endpoint: UInt16, id: String) -> KeyHash {
        hash(.event, endpoint, text: id)
    }

    /// The identity of an event that is known with other content: the content is part of it, so
    /// that the same contradiction is recorded once.
    package mutating func conflict(
        _ endpoint: UInt16, id: String, reference: String?, content: KeyHash
    ) -> KeyHash {
        scratch.removeAll(keepingCapacity: true)
        withUnsafeBytes(of: content.low.littleEndian) { scratch.append(contentsOf: $0) }
        withUnsafeBytes(of: content.high.littleEndian) { scratch.append(contentsOf: $0) }
        append(id: id, reference: reference ?? "")
        return function.hash(Self.prefix(.conflict, endpoint), count: 3, scratch.span)
    }

    /// The length before the id keeps two pairs apart.
    private mutating func append(id: String, reference: String) {
        withUnsafeBytes(of: UInt64(id.utf8.count).littleEndian) { scratch.append(contentsOf: $0) }
        scratch.append(contentsOf: id.utf8)
        scratch.append(contentsOf: reference.utf8)
    }

    /// An order that has a reference.
    package func reference(_ endpoint: UInt16, _ reference: String) -> KeyHash {
        hash(.reference, endpoint, text: reference)
    }

    /// The merchant's expectation of the order that has a reference.
    package func expectation(_ endpoint: UInt16, _ reference: String) -> KeyHash {
        hash(.expectation, endpoint, text: reference)
    }

    /// A transaction; also the key of the unjoined order that is kept under it.
    package func transaction(_ endpoint: UInt16, _ transaction: String) -> KeyHash {
        hash(.transaction, endpoint, text: transaction)
    }

    /// The keys that a store looks up for a notification.
    package mutating func hashes(of notification: Notification, _ endpoint: UInt16)
        -> NotificationHashes
    {
        var hashes = NotificationHashes(
            endpoint: endpoint, content: content(of: notification),
            event: event(endpoint, id: notification.id, reference: notification.reference))
        if let reference = notification.reference {
            hashes.reference = self.reference(endpoint, reference)
        }
        if let transaction = notification.transaction {
            hashes.transaction = self.transaction(endpoint, transaction)
        }
        return hashes
    }

    /// The hash of an event's content (`Notification.contentBytes`).
    package mutating func content(of notification: Notification) -> KeyHash {
        scratch.removeAll(keepingCapacity: true)
        notification.appendContent(to: &scratch)
        return function.hash(scratch.span)
    }

    private func hash(_ kind: Kind, _ endpoint: UInt16, text: String) -> KeyHash {
        function.hash(Self.prefix(kind, endpoint), count: 3, text.utf8.span)
    }

    /// The three bytes before every text: the kind, and the endpoint, low byte first.
    private static func prefix(_ kind: Kind, _ endpoint: UInt16) -> UInt64 {
        UInt64(kind.rawValue) | UInt64(endpoint) << 8
    }
}

extension KeyMaker {
    /// The key under which an order is kept: of its reference, or else of the least of its ids.
    package func key(of order: Order, _ endpoint: UInt16) -> KeyHash {
        if let reference = order.reference { return self.reference(endpoint, reference) }
        return transaction(endpoint, order.leastID ?? "")
    }

    /// The keys of everything that leads to an order: its ids, and its other references.
    package func pointers(to stored: StoredOrder) -> [KeyHash] {
        if let id = stored.order.onlyID { return [transaction(stored.endpoint, id)] }
        return Set(stored.order.ids.map { transaction(stored.endpoint, $0) })
            + stored.order.aliases.map { reference(stored.endpoint, $0) }
    }

    /// The key under which a found order is kept.
    package func key(of found: FoundOrder, _ endpoint: UInt16) -> KeyHash {
        switch found {
        case .open(let order): key(of: order.order, endpoint)
        case .full(let full):
            full.isUnjoined ? transaction(endpoint, full.name) : reference(endpoint, full.name)
        }
    }
}

extension Order {
    /// Its id, where nothing else leads to it but its own reference: one payment that was not
    /// captured in parts, as nearly all are.
    var onlyID: String? {
        guard attempts.count == 1, references.count == 1, !hasRareFacts,
            references[0].role != .alias, attempts[0].captures.isEmpty,
            !attempts[0].transaction.isEmpty
        else { return nil }
        return attempts[0].transaction
    }
}

/// Numbers of endpoint names, for keys and blobs. They are given in the order in which names are
/// met, and are kept in the snapshot with the tables.
package struct EndpointNames: Sendable, Equatable {
    package private(set) var names: [String] = []
    private var numbers: [ExactText: UInt16] = [:]

    /// Most endpoints that ever wrote to one journal: far more than any configuration has.
    package static let countMax = Int(UInt16.max)

    package init() {}

    /// The names of a snapshot, in order; nil when one appears twice.
    package init?(_ names: [String]) {
        guard names.count <= Self.countMax else { return nil }
        for name in names { _ = number(of: name) }
        guard self.names.count == names.count else { return nil }
    }

    /// The number of `name`, or nil when no event of it is remembered.
    package func known(_ name: String) -> UInt16? { numbers[ExactText(name)] }

    /// The number of `name`, a new one when it is new.
    package mutating func number(of name: String) -> UInt16 {
        if let number = numbers[ExactText(name)] { return number }
        precondition(names.count < Self.countMax, "more than \(Self.countMax) endpoints")
        let number = UInt16(names.count)
        names.append(name)
        numbers[ExactText(name)] = number
        return number
    }

    package subscript(number: UInt16) -> String { names[Int(number)] }

    package var count: Int { names.count }
}

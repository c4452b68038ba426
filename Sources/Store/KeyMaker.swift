import Payments

/// Makes the keys of the tables: a kind, the endpoint's number, and the text that is unique there.
struct KeyMaker: Sendable {
    let function: SipHash
    private var scratch: [UInt8] = []

    init(function: SipHash) { self.function = function }

    private enum Kind: UInt8 {
        case event = 1
        case conflict, reference, transaction, expectation
    }

    /// The identity of an event.
    func event(_ endpoint: UInt16, id: String) -> KeyHash {
        hash(.event, endpoint, text: id)
    }

    /// The identity of an event that is known with other content: the content is part of it, so
    /// that the same contradiction is recorded once.
    mutating func conflict(_ endpoint: UInt16, id: String, content: KeyHash) -> KeyHash {
        scratch.removeAll(keepingCapacity: true)
        withUnsafeBytes(of: content.low.littleEndian) { scratch.append(contentsOf: $0) }
        withUnsafeBytes(of: content.high.littleEndian) { scratch.append(contentsOf: $0) }
        scratch.append(contentsOf: id.utf8)
        return function.hash(Self.prefix(.conflict, endpoint), count: 3, scratch.span)
    }

    /// An order that has a reference.
    func reference(_ endpoint: UInt16, _ reference: String) -> KeyHash {
        hash(.reference, endpoint, text: reference)
    }

    /// What the merchant expects of the order that has a reference.
    func expectation(_ endpoint: UInt16, _ reference: String) -> KeyHash {
        hash(.expectation, endpoint, text: reference)
    }

    /// A transaction; also the key of the unjoined order that is kept under it.
    func transaction(_ endpoint: UInt16, _ transaction: String) -> KeyHash {
        hash(.transaction, endpoint, text: transaction)
    }

    /// Everything that the tables are asked about a notification.
    mutating func hashes(of notification: Notification, _ endpoint: UInt16) -> NotificationHashes {
        var hashes = NotificationHashes(
            endpoint: endpoint, content: content(of: notification),
            event: event(endpoint, id: notification.id))
        if let reference = notification.reference {
            hashes.reference = self.reference(endpoint, reference)
        }
        if let transaction = notification.transaction {
            hashes.transaction = self.transaction(endpoint, transaction)
        }
        return hashes
    }

    /// What an event says, as `Notification.contentBytes` defines it.
    mutating func content(of notification: Notification) -> KeyHash {
        scratch.removeAll(keepingCapacity: true)
        notification.appendContent(to: &scratch)
        return function.hash(scratch.span)
    }

    private func hash(_ kind: Kind, _ endpoint: UInt16, text: String) -> KeyHash {
        function.hash(Self.prefix(kind, endpoint), count: 3, text.utf8.span)
    }

    /// What stands before every text, in three bytes: the kind, and the endpoint, low byte first.
    private static func prefix(_ kind: Kind, _ endpoint: UInt16) -> UInt64 {
        UInt64(kind.rawValue) | UInt64(endpoint) << 8
    }
}

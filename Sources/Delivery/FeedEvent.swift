import JSON
import Payments
import Records

/// The parts of a feed record that delivery needs: its order, and what the filters compare.
package struct FeedEvent: Sendable, Equatable {
    package var sequence: UInt64
    package var received: Timestamp
    package var endpoint: String
    /// The event's kind, and the order's status after it. For an agreement, the event's own status.
    package var kind: String
    package var status: String
    /// The order's reference, or its id at the provider if it has none. For an agreement, its id.
    package var reference: String
    /// Whether it is about an agreement of the customer's (a stored card, a series of debits)
    /// instead of an order.
    package var isAgreement: Bool
    /// The order, and the orders that are part of it from this event on.
    package var orders: [OrderLabel]
    /// The record's head: a JSON object without the request.
    package var record: [UInt8]

    /// Nil if the record is about no order and no agreement, or of an act that changes none.
    /// Throws if the bytes are not a record.
    package init?(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
        sequence = 0
        received = Timestamp(microseconds: 0)
        endpoint = ""
        kind = ""
        status = ""
        reference = ""
        isAgreement = false
        orders = []
        var order = OrderNames()
        var event = EventNames()
        var end = bytes.count - 1
        var scanner = JSONScanner(bytes)
        try scanner.beginObject()
        members: while let member = try scanner.nextKey() {
            switch member {
            case "sequence": sequence = UInt64(clamping: try scanner.int64())
            case "received":
                received = Timestamp(iso8601: try scanner.string()) ?? received
            case "endpoint": endpoint = try scanner.string()
            case "event": try event.read(&scanner)
            case "order": status = try order.read(&scanner)
            case "request", "inquiry":
                end = try scanner.skipValue().lowerBound - #","request":"#.utf8.count
                break members
            default: try scanner.skipValue()
            }
        }
        kind = event.kind
        if let name = order.reference ?? order.transaction {
            guard event.isNews else { return nil }
            reference = name
            orders = order.labels(endpoint)
        } else if let agreement = event.agreement, !event.isAct {
            isAgreement = true
            status = event.status.lowercased()
            reference = agreement
            orders = [OrderLabel(endpoint: endpoint, agreement: agreement)]
        } else {
            return nil
        }
        record = [UInt8](bytes[..<end]) + [UInt8(ascii: "}")]
    }

    /// Reads a record that is kept whole or as its head. Throws `JSONError`.
    package init?(_ bytes: [UInt8]) throws {
        guard let event = try bytes.withUnsafeBytes({ try FeedEvent($0) }) else { return nil }
        self = event
    }

    /// The type of the message.
    package var type: String { WebhookMessage.type(status: status, isAgreement: isAgreement) }
}

/// What delivery asks of a record's `event`.
private struct EventNames {
    var kind = ""
    var status = ""
    var agreement: String?
    var isAct = false

    mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "kind": kind = try scanner.string()
            case "status": status = try scanner.string()
            case "agreement": agreement = try scanner.string()
            default:
                isAct = isAct || member == "action"
                try scanner.skipValue()
            }
        }
    }

    /// That somebody asks, or has a webhook sent again, is no news of the order.
    var isNews: Bool { !isAct || ["resolve", "correct", "split"].contains(status) }
}

/// Labels of an order: events with a common label are delivered one after the other.
package struct OrderLabel: Sendable, Hashable {
    private let text: String

    /// An order under the merchant's reference.
    package init(endpoint: String, reference: String) { text = "r\(endpoint)\n\(reference)" }
    /// An order without a reference, under an id of the provider's.
    package init(endpoint: String, id: String) { text = "i\(endpoint)\n\(id)" }
    /// An agreement, under its id at the provider.
    package init(endpoint: String, agreement: String) { text = "a\(endpoint)\n\(agreement)" }
}

/// The names in a record's `order`.
private struct OrderNames {
    var reference: String?
    var transaction: String?
    var absorbed: [String] = []
    var absorbedIDs: [String] = []

    /// Returns the order's status.
    mutating func read(_ scanner: inout JSONScanner) throws(JSONError) -> String {
        var status = ""
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "reference": reference = try scanner.string()
            case "status": status = try scanner.string()
            case "transaction": transaction = try scanner.string()
            case "absorbed": absorbed = try Self.texts(&scanner)
            case "absorbedIDs": absorbedIDs = try Self.texts(&scanner)
            default: try scanner.skipValue()
            }
        }
        return status
    }

    /// Its own label first.
    func labels(_ endpoint: String) -> [OrderLabel] {
        var labels: [OrderLabel] = []
        if let reference {
            labels.append(OrderLabel(endpoint: endpoint, reference: reference))
        } else if let transaction {
            labels.append(OrderLabel(endpoint: endpoint, id: transaction))
        }
        labels += absorbed.map { OrderLabel(endpoint: endpoint, reference: $0) }
        labels += absorbedIDs.map { OrderLabel(endpoint: endpoint, id: $0) }
        return labels
    }

    private static func texts(_ scanner: inout JSONScanner) throws(JSONError) -> [String] {
        var texts: [String] = []
        try scanner.beginArray()
        while try scanner.nextElement() { texts.append(try scanner.string()) }
        return texts
    }
}

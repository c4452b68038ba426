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
    /// The order's status before the event; nil if it had none.
    package var previous: String?
    /// The order's reference, or its id at the provider if it has none. For an agreement, its id.
    package var reference: String
    /// Whether it is about an agreement of the customer's (a stored card, a series of debits)
    /// instead of an order.
    package var isAgreement: Bool
    /// The order, and the orders that are part of it from this event on.
    package var orders: [OrderLabel]
    /// Its place in a trace, as the header `traceparent` writes it; nil where there is none.
    package var trace: String?
    /// The record's head: a JSON object without the request.
    package var record: [UInt8]

    /// Nil if the record is about no order and no agreement, or of an act that changes none.
    /// Throws if the bytes are not a record.
    package init?(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
        let reader = try RecordReader(bytes, [.event, .order, .end])
        sequence = reader.sequence.map { UInt64(clamping: $0) } ?? 0
        received = reader.received.flatMap { reader.moment($0) } ?? Timestamp(microseconds: 0)
        endpoint = reader.string(reader.endpoint) ?? ""
        trace = reader.string(reader.trace)
        let event = reader.event
        let isAct = event?.isAct ?? false
        let eventStatus = reader.string(event?.status) ?? ""
        kind = reader.string(event?.kind) ?? ""
        isAgreement = false
        if let order = reader.order, let name = order.reference ?? order.transaction {
            // An inquiry, or a webhook that is sent again, does not change the order.
            guard !isAct || ["resolve", "correct", "split"].contains(eventStatus) else {
                return nil
            }
            status = reader.string(order.status) ?? ""
            previous = reader.string(order.previous)
            reference = reader.string(name)
            orders = OrderLabel.labels(of: order, endpoint, reader)
        } else if let agreement = reader.string(event?.agreement), !isAct {
            isAgreement = true
            status = eventStatus.lowercased()
            reference = agreement
            orders = [OrderLabel(endpoint: endpoint, agreement: agreement)]
        } else {
            return nil
        }
        record = reader.head
    }

    /// Reads a record that is kept whole or as its head. Throws `JSONError`.
    package init?(_ bytes: [UInt8]) throws {
        guard let event = try bytes.withUnsafeBytes({ try FeedEvent($0) }) else { return nil }
        self = event
    }

    /// The type of the message.
    package var type: String { WebhookMessage.type(status: status, isAgreement: isAgreement) }
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

    /// The labels of a record's order and of those that are part of it from now on; its own first.
    fileprivate static func labels(
        of order: RecordReader.OrderPart, _ endpoint: String, _ reader: borrowing RecordReader
    ) -> [OrderLabel] {
        var labels: [OrderLabel] = []
        if let reference = order.reference {
            labels.append(OrderLabel(endpoint: endpoint, reference: reader.string(reference)))
        } else if let transaction = order.transaction {
            labels.append(OrderLabel(endpoint: endpoint, id: reader.string(transaction)))
        }
        labels += order.absorbed.map {
            OrderLabel(endpoint: endpoint, reference: reader.string($0))
        }
        labels += order.absorbedIDs.map { OrderLabel(endpoint: endpoint, id: reader.string($0)) }
        return labels
    }
}

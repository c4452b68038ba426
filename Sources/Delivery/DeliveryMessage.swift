import Payments

/// What a destination receives for one record. The same at each attempt, except its number.
package struct DeliveryMessage: Sendable, Equatable {
    package var destination: String
    /// `<store id>-<sequence>`: the receiver de-duplicates by it.
    package var id: String
    /// `order.` and the order's status after the event; `agreement.` and the event's own status;
    /// `test` in an example.
    package var type: String
    /// When the record's request was received.
    package var timestamp: Timestamp
    /// 0 in an example.
    package var sequence: UInt64
    /// The order's endpoint, and its reference or provider id. For logs.
    package var endpoint: String
    package var reference: String
    /// The record's head: a JSON object without the request.
    package var record: [UInt8]
    /// From 1.
    package var attempt: Int

    package init(
        destination: String, id: String, type: String, timestamp: Timestamp, sequence: UInt64,
        endpoint: String, reference: String, record: [UInt8], attempt: Int
    ) {
        self.destination = destination
        self.id = id
        self.type = type
        self.timestamp = timestamp
        self.sequence = sequence
        self.endpoint = endpoint
        self.reference = reference
        self.record = record
        self.attempt = attempt
    }
}

/// Carries messages to the destinations.
package protocol DeliveryTransport: Sendable {
    /// Sends `message` once and waits for the answer, no longer than the destination's timeout.
    /// A cancelled task ends soon, with `canceled`.
    func attempt(_ message: DeliveryMessage) async -> AttemptOutcome
}

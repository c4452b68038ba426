import Payments

/// The message that a destination receives for one record. The same at each attempt, except its
/// attempt number.
package struct DeliveryMessage: Sendable, Equatable {
    package var destination: String
    /// `<store id>-<sequence>`: receivers de-duplicate by it.
    package var id: String
    /// `order.` and the order's status after the event; `agreement.` and the event's own status;
    /// `test` in an example.
    package var type: String
    /// When the record's request was received.
    package var timestamp: Timestamp
    /// The record's sequence; 0 in an example.
    package var sequence: UInt64
    /// The order's endpoint, and its reference or provider id. For logs.
    package var endpoint: String
    package var reference: String
    /// The record's head: a JSON object without the request.
    package var record: [UInt8]
    /// Number of the attempt, from 1.
    package var attempt: Int
    /// Its place in a trace, which the receiver may continue: the header `traceparent`.
    package var trace: String?
}

extension DeliveryMessage {
    /// The message for `event`, a record of `store`.
    package init(_ event: FeedEvent, store: String, destination: String, attempt: Int) {
        self.init(
            destination: destination, id: "\(store)-\(event.sequence)",
            type: event.type, timestamp: event.received, sequence: event.sequence,
            endpoint: event.endpoint, reference: event.reference, record: event.record,
            attempt: attempt, trace: event.trace)
    }

    /// An example, which is about no order.
    static func example(store: String, destination: String, now: Timestamp) -> DeliveryMessage {
        let record =
            #"{"schema":1,"sequence":0,"received":"\#(now.rfc3339)","endpoint":"example","#
            + #""provider":"example","outcome":"recorded","flags":[],"#
            + #""event":{"id":"example","kind":"test","status":"test"}}"#
        return DeliveryMessage(
            destination: destination, id: "\(store)-test-\(now.microseconds)",
            type: WebhookMessage.exampleType, timestamp: now, sequence: 0, endpoint: "example",
            reference: "", record: Array(record.utf8), attempt: 1)
    }
}

/// Sends messages to the destinations.
package protocol DeliveryTransport: Sendable {
    /// Sends `message` once and waits for the answer, no longer than the destination's timeout.
    /// A cancelled task ends soon, with `canceled`.
    func attempt(_ message: DeliveryMessage) async -> AttemptOutcome

    /// The URL of a destination for people, without its query, which may hold a secret.
    func shownURL(of destination: String) -> String?
}

extension DeliveryTransport {
    package func shownURL(of destination: String) -> String? { nil }
}

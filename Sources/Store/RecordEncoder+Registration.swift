import JSON
import Payments

/// A record of what the merchant registered: as a notification's, but its event's kind is
/// `expectation`, and `event.expectation` stands in place of an effect. It has no `key` and no
/// `request`, for no provider sent it.
extension RecordEncoder {
    static func append(
        _ content: RecordContent, of registration: Registration, to bytes: inout [UInt8]
    ) {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        var writer = JSONWriter(appendingTo: taken)
        taken = []
        writer.beginObject()
        writer.key("schema")
        writer.integer(1)
        writer.key("sequence")
        writer.integer(content.sequence)
        writer.key("received")
        writer.string(registration.received.rfc3339)
        writer.key("endpoint")
        writer.string(registration.endpoint)
        writer.key("provider")
        writer.string(registration.provider)
        writer.key("outcome")
        writer.string(content.outcome.rawValue)
        writer.key("flags")
        append(content.flags, to: &writer)
        writer.key("event")
        append(registration, to: &writer)
        if let order = content.order {
            writer.key("order")
            append(order, to: &writer)
        }
        if !registration.peer.isEmpty {
            writer.key("peer")
            writer.string(registration.peer)
        }
        writer.endObject()
        bytes = writer.takeBytes()
    }

    private static func append(_ registration: Registration, to writer: inout JSONWriter) {
        let event = registration.notification
        writer.beginObject()
        writer.key("id")
        writer.string(event.id)
        writer.key("kind")
        writer.string(event.kind)
        writer.key("status")
        writer.string(event.status)
        writer.key("reference")
        writer.string(registration.reference)
        writer.key("expectation")
        registration.registered.write(to: &writer)
        writer.endObject()
    }
}

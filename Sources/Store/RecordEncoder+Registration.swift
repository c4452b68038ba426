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
        writer.fragment(#"{"schema":1,"sequence":"#)
        writer.integer(Int64(content.sequence))
        writer.fragment(#","received":""#)
        writer.moment(registration.received)
        writer.fragment(#"","endpoint":"#)
        writer.string(registration.endpoint)
        writer.fragment(#","provider":"#)
        writer.string(registration.provider)
        writer.fragment(#","outcome":"#)
        writer.string(content.outcome.rawValue)
        writer.fragment(#","flags":"#)
        writer.flags(content.flags)
        let event = registration.notification
        writer.fragment(#","event":{"id":"#)
        writer.string(event.id)
        writer.fragment(#","kind":"#)
        writer.string(event.kind)
        writer.fragment(#","status":"#)
        writer.string(event.status)
        writer.text(#","reference":"#, registration.reference)
        writer.fragment(#","expectation":"#)
        registration.registered.write(to: &writer)
        writer.fragment("}")
        if let order = content.order { append(order, to: &writer) }
        if !registration.peer.isEmpty { writer.text(#","peer":"#, registration.peer) }
        writer.fragment("}")
        bytes = writer.takeBytes()
    }
}

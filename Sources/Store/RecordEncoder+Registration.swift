import Payments

/// A record of what the merchant registered: as a notification's, but its event's kind is
/// `expectation`, and `event.expectation` stands in place of an effect. It has no `key` and no
/// `request`, for no provider sent it.
extension RecordEncoder {
    /// As for a notification: all but the closing brace is the head.
    @discardableResult
    static func append(
        _ content: RecordContent, of registration: Registration, to bytes: inout [UInt8]
    ) -> Int {
        let event = registration.notification
        let texts = [
            registration.endpoint, registration.provider, event.id, event.kind, event.status,
            registration.reference,
        ]
        bytes.write(atMost: texts.reduce(room(content)) { $0 + RecordWriter.room($1) }) { pen in
            pen.fragment(#"{"schema":1,"sequence":"#)
            pen.integer(Int64(content.sequence))
            pen.fragment(#","received":"#)
            pen.moment(registration.received)
            pen.fragment(#","endpoint":"#)
            pen.text(registration.endpoint)
            pen.fragment(#","provider":"#)
            pen.text(registration.provider)
            append(content, to: &pen)
            pen.fragment(#","event":{"id":"#)
            pen.text(event.id)
            pen.fragment(#","kind":"#)
            pen.text(event.kind)
            pen.fragment(#","status":"#)
            pen.text(event.status)
            pen.text(#","reference":"#, registration.reference)
            pen.fragment(#","expectation":"#)
        }
        bytes += registration.registered.contentBytes
        bytes.write(atMost: room(content) + RecordWriter.room(registration.peer)) { pen in
            pen.fragment("}")
            if let order = content.order { append(order, to: &pen) }
            if !registration.peer.isEmpty { pen.text(#","peer":"#, registration.peer) }
            pen.fragment("}")
        }
        return bytes.count - 1
    }

    /// A record of what later rules make of another record. It has no `request`: the record that it
    /// corrects has it.
    static func append(
        _ content: RecordContent, of correction: Correction, to bytes: inout [UInt8]
    ) {
        let texts = [correction.endpoint, correction.provider, correction.key]
        let room = texts.reduce(room(content) + room(correction.notification)) {
            $0 + RecordWriter.room($1)
        }
        bytes.write(atMost: room) { pen in
            pen.fragment(#"{"schema":1,"sequence":"#)
            pen.integer(Int64(content.sequence))
            pen.fragment(#","received":"#)
            pen.moment(correction.received)
            pen.fragment(#","endpoint":"#)
            pen.text(correction.endpoint)
            pen.fragment(#","provider":"#)
            pen.text(correction.provider)
            pen.fragment(#","key":"#)
            pen.text(correction.key)
            pen.fragment(#","corrects":"#)
            pen.integer(Int64(correction.sequence))
            append(content, to: &pen)
            append(correction.notification, to: &pen)
            pen.fragment("}")
            if let order = content.order { append(order, to: &pen) }
            pen.fragment("}")
        }
    }
}

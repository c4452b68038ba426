import Payments

/// Records that no provider sent.
extension RecordEncoder {
    /// Appends a record of the merchant's expectation for the order `reference`, and returns where
    /// its head ends. Its event's kind is `expectation`, with `event.expectation` in place of an
    /// effect. There is no `key` and no `request`.
    @discardableResult
    package static func append(
        _ content: RecordContent, of registered: RegisteredExpectation, reference: String,
        from origin: RecordOrigin, peer: String, to bytes: inout [UInt8]
    ) -> Int {
        let event = Notification.expectation(reference)
        let texts = [event.id, event.kind, event.status, reference]
        let room = room(content) + room(origin)
        bytes.write(atMost: texts.reduce(room) { $0 + RecordWriter.room($1) }) { writer in
            begin(content, origin, to: &writer)
            append(content, to: &writer)
            writer.fragment(#","event":{"id":"#)
            writer.text(event.id)
            writer.fragment(#","kind":"#)
            writer.text(event.kind)
            writer.fragment(#","status":"#)
            writer.text(event.status)
            writer.text(#","reference":"#, reference)
            writer.fragment(#","expectation":"#)
        }
        bytes += registered.contentBytes
        bytes.write(atMost: Self.room(content)) { writer in
            writer.fragment("}")
            if let order = content.order { append(order, to: &writer) }
        }
        let headEnd = bytes.count
        bytes.write(atMost: 16 + RecordWriter.room(peer)) { writer in
            if !peer.isEmpty { writer.text(#","peer":"#, peer) }
            writer.fragment("}")
        }
        return headEnd
    }

    /// Appends a correction of the record `corrected`: its notification, as read by later rules. It
    /// has no `request`; the corrected record has it.
    package static func append(
        _ content: RecordContent, correcting corrected: UInt64, to notification: Notification,
        from origin: RecordOrigin, to bytes: inout [UInt8]
    ) {
        let room = room(content) + room(origin) + room(notification)
        bytes.write(atMost: room) { writer in
            begin(content, origin, to: &writer)
            writer.fragment(#","corrects":"#)
            writer.integer(Int64(corrected))
            append(content, to: &writer)
            append(notification, to: &writer)
            writer.fragment("}")
            if let order = content.order { append(order, to: &writer) }
            writer.fragment("}")
        }
    }
}

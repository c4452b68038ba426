import Payments

/// Writes records. `Schema.md` defines every member; what is written here is pinned by golden
/// bytes.
///
/// `target`, header names and header values are bytes: each is written as the code point of the
/// same number (ISO 8859-1), so that replay is byte for byte. `body` is the exact text when the
/// bytes are UTF-8, else `bodyBase64` (RFC 4648 §4) holds them.
package enum RecordEncoder {
    /// Appends a record, and returns where its head (`RecordHead`) ends in `bytes`.
    /// `encodesBodyAsBase64` is for bodies whose escapes would make the text too long. Where `part`
    /// names the record with the request, there is no `request` and no `peer`.
    @discardableResult
    package static func append(
        _ content: RecordContent, of notification: Notification, from origin: RecordOrigin,
        request: RecordedRequest, part: RecordPart? = nil, inquiry: RecordedInquiry? = nil,
        peer: String, encodesBodyAsBase64: Bool = false, to bytes: inout [UInt8]
    ) -> Int {
        let room = room(content) + room(origin) + room(notification)
        bytes.write(atMost: room) { writer in
            begin(content, origin, to: &writer)
            writer.part(part)
            append(content, to: &writer)
            append(notification, to: &writer)
            writer.fragment("}")
            if let order = content.order { append(order, to: &writer) }
        }
        let headEnd = bytes.count
        if part?.holder != nil {
            bytes.append(UInt8(ascii: "}"))
            return headEnd
        }
        if let inquiry {
            inquiry.append(
                after: request, encodesBodyAsBase64: encodesBodyAsBase64, to: &bytes)
            return headEnd
        }
        bytes.write(atMost: 16 + request.headRoom) { writer in
            writer.fragment(#","request":{"#)
            request.appendHead(to: &writer)
        }
        request.appendBody(to: &bytes, encodesBodyAsBase64: encodesBodyAsBase64)
        bytes.write(atMost: 16 + RecordWriter.room(peer)) { writer in
            writer.fragment("}")
            if !peer.isEmpty { writer.text(#","peer":"#, peer) }
            writer.fragment("}")
        }
        return headEnd
    }

    /// The members before the outcome.
    static func begin(
        _ content: RecordContent, _ origin: RecordOrigin, to writer: inout RecordWriter
    ) {
        writer.fragment(#"{"schema":1,"sequence":"#)
        writer.integer(Int64(content.sequence))
        writer.fragment(#","received":"#)
        writer.moment(origin.received)
        writer.fragment(#","endpoint":"#)
        writer.text(origin.endpoint)
        writer.fragment(#","provider":"#)
        writer.text(origin.provider)
        writer.text(#","key":"#, origin.key)
        writer.text(#","trace":"#, origin.trace)
    }

    /// Most bytes of the origin's names.
    static func room(_ origin: RecordOrigin) -> Int {
        RecordWriter.room(origin.endpoint) + RecordWriter.room(origin.provider)
            + RecordWriter.room(origin.key) + RecordWriter.room(origin.trace)
    }

    /// Most bytes of the event's own texts.
    static func room(_ notification: Notification) -> Int {
        RecordWriter.room(notification.id) + RecordWriter.room(notification.kind)
            + RecordWriter.room(notification.status) + RecordWriter.room(notification.reference)
            + RecordWriter.room(notification.alias) + RecordWriter.room(notification.transaction)
            + RecordWriter.room(notification.effect.id)
            + RecordWriter.room(notification.effect.moment)
            + room(notification.reason) + RecordWriter.room(notification.method)
            + RecordWriter.room(notification.agreement)
            + notification.flags.count * RecordWriter.room(Self.wordBytesMax)
    }

    private static func room(_ reason: Reason?) -> Int {
        RecordWriter.room(reason?.code) + RecordWriter.room(reason?.message)
    }

    /// Most bytes of the content's own members, with the names, numbers and words of the whole
    /// record.
    static func room(_ content: RecordContent) -> Int {
        var room = 2048 + content.flags.count * RecordWriter.room(Self.wordBytesMax)
        guard let order = content.order else { return room }
        room += RecordWriter.room(order.reference) + RecordWriter.room(order.transaction)
        room += Self.room(order.summary.reason) + RecordWriter.room(order.summary.method)
        room += RecordWriter.room(order.summary.agreement)
        room += (order.summary.claims.count + order.summary.candidates.count) * amountBytesMax
        for other in order.touched {
            room += 64 + RecordWriter.room(other.reference) + RecordWriter.room(other.id)
        }
        return (order.absorbed + order.absorbedIDs + order.rivals)
            .reduce(room) { $0 + RecordWriter.room($1) }
    }

    /// No amount is longer: `{"minor":-9223372036854775808,"currency":"MYR"},`
    private static let amountBytesMax = 64

    /// No flag has a longer name.
    private static let wordBytesMax = 32

    /// The outcome and the flags.
    static func append(_ content: RecordContent, to writer: inout RecordWriter) {
        writer.fragment(#","outcome":"#)
        writer.text(content.outcome.rawValue)
        if let original = content.conflictsWith {
            writer.fragment(#","conflictsWith":"#)
            writer.integer(Int64(original))
        }
        writer.fragment(#","flags":"#)
        writer.flags(content.flags)
    }

    /// The event, but for its closing brace.
    static func append(_ notification: Notification, to writer: inout RecordWriter) {
        writer.fragment(#","event":{"id":"#)
        writer.text(notification.id)
        writer.fragment(#","kind":"#)
        writer.text(notification.kind)
        writer.fragment(#","status":"#)
        writer.text(notification.status)
        if let occurred = notification.occurred {
            writer.fragment(#","occurred":"#)
            writer.moment(occurred)
        }
        writer.text(#","reference":"#, notification.reference)
        writer.text(#","alias":"#, notification.alias)
        writer.text(#","transaction":"#, notification.transaction)
        if notification.ids != .account {
            writer.text(#","ids":"#, notification.ids.rawValue)
        }
        writer.text(#","method":"#, notification.method)
        writer.text(#","agreement":"#, notification.agreement)
        append(notification.effect, to: &writer)
        writer.amount(#","refundedAtLeast":"#, notification.refundedAtLeast)
        append(notification.reason, to: &writer)
        if !notification.flags.isEmpty {
            writer.fragment(#","flags":"#)
            writer.flags(notification.flags)
        }
    }

    private static func append(_ reason: Reason?, to writer: inout RecordWriter) {
        guard let reason else { return }
        writer.fragment(#","reason":{"code":"#)
        writer.text(reason.code)
        writer.fragment(#","message":"#)
        writer.text(reason.message)
        writer.fragment("}")
    }

    private static func append(_ effect: Effect, to writer: inout RecordWriter) {
        switch effect {
        case .attempt(let status, let amount):
            writer.fragment(#","effect":{"on":"attempt""#)
            append(status.name, amount, to: &writer)
        case .capture(let id, let status, let amount):
            writer.text(#","effect":{"on":"capture","id":"#, id)
            append(status.name, amount, to: &writer)
        case .refund(let id, let status, let amount):
            writer.text(#","effect":{"on":"refund","id":"#, id)
            append(status.name, amount, to: &writer)
        case .dispute(let id, let status, let amount):
            writer.text(#","effect":{"on":"dispute","id":"#, id)
            append(status.name, amount, to: &writer)
        case .reversal(let kind, let id, let status, let amount):
            writer.fragment(#","effect":{"on":"reversal","of":"#)
            writer.text(kind.name)
            writer.text(#","id":"#, id)
            append(status.name, amount, to: &writer)
        case .unclearRefund(let id, let status, let claim):
            writer.text(#","effect":{"on":"unclear_refund","id":"#, id)
            writer.amount(#","refunded":"#, claim.refunded)
            writer.text(#","moment":"#, claim.moment)
            append(status.name, claim.amount, to: &writer)
        case .doubt: writer.fragment(#","effect":{"on":"doubt"}"#)
        case .none: break
        }
    }

    private static func append(_ status: String, _ amount: Money?, to writer: inout RecordWriter) {
        writer.text(#","status":"#, status)
        writer.amount(#","amount":"#, amount)
        writer.fragment("}")
    }

    static func append(_ order: OrderChange, to writer: inout RecordWriter) {
        writer.fragment(#","order":{"#)
        if let reference = order.reference {
            writer.text(#""reference":"#, reference)
            writer.fragment(",")
        }
        writer.text(#""status":"#, order.summary.status.rawValue)
        writer.text(#","previous":"#, order.previous?.rawValue)
        writer.text(#","transaction":"#, order.transaction)
        writer.text(#","method":"#, order.summary.method)
        writer.text(#","agreement":"#, order.summary.agreement)
        writer.amount(#","amount":"#, order.summary.amount)
        writer.amount(#","refunded":"#, order.summary.refunded)
        writer.amount(#","authorized":"#, order.summary.authorized)
        writer.amount(#","captured":"#, order.summary.captured)
        append(#","claims":["#, order.summary.claims, to: &writer)
        append(#","candidates":["#, order.summary.candidates, to: &writer)
        append(order.summary.reason, to: &writer)
        append(#","absorbed":["#, order.absorbed, to: &writer)
        append(#","absorbedIDs":["#, order.absorbedIDs, to: &writer)
        append(#","sharedWith":["#, order.rivals, to: &writer)
        append(order.touched, to: &writer)
        writer.fragment("}")
    }

    private static func append(
        _ beginning: StaticString, _ texts: [String], to writer: inout RecordWriter
    ) {
        guard !texts.isEmpty else { return }
        for (index, text) in texts.enumerated() {
            writer.fragment(index == 0 ? beginning : ",")
            writer.text(text)
        }
        writer.fragment("]")
    }

    private static func append(_ touched: [OrderChange.Touched], to writer: inout RecordWriter) {
        guard !touched.isEmpty else { return }
        for (index, other) in touched.enumerated() {
            writer.fragment(index == 0 ? #","touched":[{"# : ",{")
            if let reference = other.reference {
                writer.text(#""reference":"#, reference)
            } else {
                writer.text(#""id":"#, other.id ?? "")
            }
            if let first = other.first {
                writer.fragment(#","first":"#)
                writer.integer(Int64(clamping: first))
            }
            writer.fragment("}")
        }
        writer.fragment("]")
    }

    private static func append(
        _ beginning: StaticString, _ amounts: [Money], to writer: inout RecordWriter
    ) {
        guard !amounts.isEmpty else { return }
        for (index, amount) in amounts.enumerated() {
            writer.amount(index == 0 ? beginning : ",", amount)
        }
        writer.fragment("]")
    }
}

extension Effect {
    fileprivate var moment: String? {
        if case .unclearRefund(_, _, let claim) = self { claim.moment } else { nil }
    }
}

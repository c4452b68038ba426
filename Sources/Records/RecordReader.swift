import JSON
import Payments

/// Reads the members of a record (`Schema.md`). Nothing else reads them, but for requests.
///
/// It passes over the record once, up to the last part that is wanted, and keeps numbers and the
/// places of texts. A text is decoded when its value is asked for, so a reader pays for what it
/// uses. Members may come in any order, and unknown ones are passed over.
///
/// ```swift
/// let reader = try RecordReader(record, [.event])
/// let event = try RecordedEvent(reader)
/// ```
///
/// The memory of the record must stay valid and unchanged while the reader is used. It cannot be
/// copied: its thirty words would be copied whenever it is returned.
package struct RecordReader: ~Copyable {
    package typealias Text = JSONScanner.Text

    /// The parts of a record that are read beside its own members.
    package struct Parts: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The member `event`.
        package static let event = Parts(rawValue: 1)
        /// The member `order`.
        package static let order = Parts(rawValue: 2)
        /// Where the head ends, and what follows it.
        package static let end = Parts(rawValue: 4)
    }

    private let record: UnsafeRawBufferPointer
    private var scanner: JSONScanner

    package private(set) var schema: Int64?
    package private(set) var sequence: Int64?
    package private(set) var received: Text?
    package private(set) var endpoint: Text?
    package private(set) var provider: Text?
    package private(set) var key: Text?
    package private(set) var trace: Text?
    package private(set) var corrects: Int64?
    package private(set) var part: RecordPart?
    package private(set) var outcome: Text?
    package private(set) var conflictsWith: Int64?
    package private(set) var flags: [Text] = []
    package private(set) var event: EventPart?
    package var order: OrderPart? { orders.first }
    /// None or one. Stored inline, it would be a third of the reader, and a start reads no order.
    private var orders: [OrderPart] = []
    /// Whether the provider was asked for the event (`Parts.end`).
    package private(set) var isInquiry = false
    /// Where the head ends, but for its closing brace (`Parts.end`).
    package private(set) var headEnd: Int
    /// Whether the personal part can be read (`Parts.end`).
    package private(set) var personal = PersonalPart.open
    /// The sealed personal part (`Parts.end`).
    private(set) var sealed: SealedPart?

    /// Reads `parts`. Throws when the bytes are not a record.
    package init(_ record: UnsafeRawBufferPointer, _ parts: Parts) throws(JSONError) {
        self.record = record
        scanner = JSONScanner(record)
        headEnd = record.count - 1
        var place = 0
        try scanner.beginObject()
        while true {
            let end = scanner.offset
            guard let member = try next(Self.members, &place) else { break }
            switch member {
            case .schema: schema = try scanner.int64()
            case .sequence: sequence = try scanner.int64()
            case .received: received = try scanner.nextText()
            case .endpoint: endpoint = try scanner.nextText()
            case .provider: provider = try scanner.nextText()
            case .key: key = try scanner.nextText()
            case .trace: trace = try scanner.nextText()
            case .corrects: corrects = try scanner.int64()
            case .part: part = try readPart()
            case .outcome: outcome = try scanner.nextText()
            case .conflictsWith: conflictsWith = try scanner.int64()
            case .flags: flags = try texts()
            case .event where parts.contains(.event):
                event = try readEvent()
                if parts == .event { return }
            case .order where parts.contains(.order):
                orders = [try readOrder()]
                if !parts.contains(.end) { return }
            case .event, .order: try scanner.skipValue()
            case .request, .inquiry, .peer, .sealed, .erased:
                headEnd = end
                try readPersonalPart(member)
                return
            }
        }
    }

    /// Returns the value of a text.
    package func string(_ text: Text) -> String { scanner.string(text) }

    /// Returns the value of a text, nil where there is none.
    package func string(_ text: Text?) -> String? {
        guard let text else { return nil }
        return string(text)
    }

    /// Returns the member of `table` that a text names; nil where there is no text or member.
    func member<Member>(_ text: Text?, of table: MemberTable<Member>) -> Member? {
        guard let text else { return nil }
        var place = 0
        return table.find(
            text.hasEscapes ? MemberName(string(text)) : MemberName(record, at: text.place),
            from: &place)
    }

    /// Returns the value of a text as a moment; nil when it is not one.
    package func moment(_ text: Text) -> Timestamp? {
        text.hasEscapes
            ? Timestamp(iso8601: string(text))
            : Timestamp(
                iso8601: UnsafeRawBufferPointer(rebasing: record[text.place])
                    .assumingMemoryBound(to: UInt8.self).span)
    }

    /// Returns the value of an amount; nil where the record has none. Throws `value` with `name`
    /// when it is not an amount.
    package func money(_ amount: AmountPart?, _ name: StaticString) throws(RecordError) -> Money? {
        guard let amount else { return nil }
        guard let minor = amount.minor, let code = amount.currency,
            let currency = Currency(
                utf8: UnsafeRawBufferPointer(rebasing: record[code.place])
                    .assumingMemoryBound(to: UInt8.self).span)
        else { throw .value("\(name)") }
        return Money(minor: minor, currency: currency)
    }

    /// Returns a copy of the head: the record without its request or inquiry, which are most of it,
    /// and the peer. Only with `Parts.end`.
    package var head: [UInt8] { [UInt8](record[..<headEnd]) + [UInt8(ascii: "}")] }
}

// MARK: - Members

extension RecordReader {
    private enum Member: String, CaseIterable {
        case schema, sequence, received, endpoint, provider, key, trace, corrects, part, outcome
        case conflictsWith, flags, event, order, request, inquiry, peer, sealed
        case erased
    }

    private enum EventMember: String, CaseIterable {
        case id, kind, status, occurred, reference, alias, transaction, ids, method, agreement
        case effect, refundedAtLeast, reason, flags, action, expectation
    }

    private enum EffectMember: String, CaseIterable {
        case on, of, id, refunded, moment, status, amount
    }

    private enum OrderMember: String, CaseIterable {
        case reference, status, previous, transaction, method, agreement, amount, refunded
        case authorized, captured, reason, absorbed, absorbedIDs, touched
    }

    private enum PartMember: String, CaseIterable { case of, number, count }
    private enum AmountMember: String, CaseIterable { case minor, currency }
    private enum ReasonMember: String, CaseIterable { case code, message }
    private enum TouchedMember: String, CaseIterable { case reference, id, first }

    private static let members = MemberTable<Member>()
    private static let eventMembers = MemberTable<EventMember>()
    private static let effectMembers = MemberTable<EffectMember>()
    private static let orderMembers = MemberTable<OrderMember>()
    private static let partMembers = MemberTable<PartMember>()
    private static let amountMembers = MemberTable<AmountMember>()
    private static let reasonMembers = MemberTable<ReasonMember>()
    private static let touchedMembers = MemberTable<TouchedMember>()

    /// Moves to the value of the next member in the table; nil when the object ended.
    private mutating func next<Member: RawRepresentable>(
        _ table: MemberTable<Member>, _ place: inout Int
    ) throws(JSONError) -> Member? where Member.RawValue == String {
        while let name = try scanner.nextName() {
            let member =
                name.hasEscapes
                ? Member(rawValue: scanner.string(name))
                : table.find(MemberName(record, at: name.place), from: &place)
            if let member { return member }
            try scanner.skipValue()
        }
        return nil
    }

    /// Reads the member `part`. Throws `syntax` when a number is missing or negative.
    private mutating func readPart() throws(JSONError) -> RecordPart {
        let start = scanner.offset
        var (holder, number, count): (Int64?, Int64?, Int64?)
        var place = 0
        try scanner.beginObject()
        while let member = try next(Self.partMembers, &place) {
            switch member {
            case .of: holder = try scanner.int64()
            case .number: number = try scanner.int64()
            case .count: count = try scanner.int64()
            }
        }
        guard let number, let count, number >= 1, count >= number, (holder ?? 0) >= 0 else {
            throw .syntax(start)
        }
        return RecordPart(
            holder: holder.map { UInt64($0) }, number: Int(number), count: Int(count))
    }

    private mutating func readPersonalPart(_ member: Member) throws(JSONError) {
        var name = member.rawValue
        switch member {
        case .sealed:
            let part = try SealedPart(from: &scanner)
            (sealed, name, personal) = (part, part.name, .sealed)
        case .erased: (name, personal) = (try scanner.string(), .erased)
        default: break
        }
        isInquiry = name == Member.inquiry.rawValue
    }

    private mutating func readEvent() throws(JSONError) -> EventPart {
        var event = EventPart()
        var place = 0
        try scanner.beginObject()
        while let member = try next(Self.eventMembers, &place) {
            switch member {
            case .id: event.id = try scanner.nextText()
            case .kind: event.kind = try scanner.nextText()
            case .status: event.status = try scanner.nextText()
            case .occurred: event.occurred = try scanner.nextText()
            case .reference: event.reference = try scanner.nextText()
            case .alias: event.alias = try scanner.nextText()
            case .transaction: event.transaction = try scanner.nextText()
            case .ids: event.ids = try scanner.nextText()
            case .method: event.method = try scanner.nextText()
            case .agreement: event.agreement = try scanner.nextText()
            case .effect: event.effect = try readEffect()
            case .refundedAtLeast: event.refundedAtLeast = try readAmount()
            case .reason: event.reason = try readReason()
            case .flags: event.flags = try texts()
            case .action: event.action = try ActionDraft(from: &scanner)
            case .expectation: event.registered = try RegisteredExpectation(from: &scanner)
            }
        }
        return event
    }

    private mutating func readEffect() throws(JSONError) -> EffectPart {
        var effect = EffectPart()
        var place = 0
        try scanner.beginObject()
        while let member = try next(Self.effectMembers, &place) {
            switch member {
            case .on: effect.on = try scanner.nextText()
            case .of: effect.kind = try scanner.nextText()
            case .id: effect.id = try scanner.nextText()
            case .refunded: effect.refunded = try readAmount()
            case .moment: effect.moment = try scanner.nextText()
            case .status: effect.status = try scanner.nextText()
            case .amount: effect.amount = try readAmount()
            }
        }
        return effect
    }

    private mutating func readOrder() throws(JSONError) -> OrderPart {
        var order = OrderPart()
        var place = 0
        try scanner.beginObject()
        while let member = try next(Self.orderMembers, &place) {
            switch member {
            case .reference: order.reference = try scanner.nextText()
            case .status: order.status = try scanner.nextText()
            case .previous: order.previous = try scanner.nextText()
            case .transaction: order.transaction = try scanner.nextText()
            case .method: order.method = try scanner.nextText()
            case .agreement: order.agreement = try scanner.nextText()
            case .amount: order.amount = try readAmount()
            case .refunded: order.refunded = try readAmount()
            case .authorized: order.authorized = try readAmount()
            case .captured: order.captured = try readAmount()
            case .reason: order.reason = try readReason()
            case .absorbed: order.absorbed = try texts()
            case .absorbedIDs: order.absorbedIDs = try texts()
            case .touched: try readTouched(into: &order)
            }
        }
        return order
    }

    private mutating func readTouched(into order: inout OrderPart) throws(JSONError) {
        try scanner.beginArray()
        while try scanner.nextElement() {
            var touched = OrderPart.Touched()
            var place = 0
            try scanner.beginObject()
            while let member = try next(Self.touchedMembers, &place) {
                switch member {
                case .reference: touched.reference = try scanner.nextText()
                case .id: touched.id = try scanner.nextText()
                case .first: touched.first = try scanner.int64()
                }
            }
            order.touched.append(touched)
        }
    }

    private mutating func readAmount() throws(JSONError) -> AmountPart {
        var amount = AmountPart()
        var place = 0
        try scanner.beginObject()
        while let member = try next(Self.amountMembers, &place) {
            switch member {
            case .minor: amount.minor = try scanner.int64()
            case .currency: amount.currency = try scanner.nextText()
            }
        }
        return amount
    }

    private mutating func readReason() throws(JSONError) -> ReasonPart {
        var reason = ReasonPart()
        var place = 0
        try scanner.beginObject()
        while let member = try next(Self.reasonMembers, &place) {
            switch member {
            case .code: reason.code = try scanner.nextText()
            case .message: reason.message = try scanner.nextText()
            }
        }
        return reason
    }

    private mutating func texts() throws(JSONError) -> [Text] {
        var texts: [Text] = []
        try scanner.beginArray()
        while try scanner.nextElement() { texts.append(try scanner.nextText()) }
        return texts
    }
}

// MARK: - Parts

extension RecordReader {
    /// The member `event`, as read.
    package struct EventPart {
        package internal(set) var id: Text?
        package internal(set) var kind: Text?
        package internal(set) var status: Text?
        package internal(set) var occurred: Text?
        package internal(set) var reference: Text?
        package internal(set) var alias: Text?
        package internal(set) var transaction: Text?
        package internal(set) var ids: Text?
        package internal(set) var method: Text?
        package internal(set) var agreement: Text?
        var effect: EffectPart?
        var refundedAtLeast: AmountPart?
        var reason: ReasonPart?
        var flags: [Text] = []
        /// The merchant's registration or a person's act: none or one. Stored inline, they would be
        /// half of the event, and few records have them.
        private var own: [Own] = []

        private struct Own {
            var registered: RegisteredExpectation?
            var action: ActionDraft?
        }

        var registered: RegisteredExpectation? {
            get { own.first?.registered }
            set { own = [Own(registered: newValue, action: action)] }
        }

        var action: ActionDraft? {
            get { own.first?.action }
            set { own = [Own(registered: registered, action: newValue)] }
        }

        /// Whether a person did it.
        package var isAct: Bool { action != nil }
    }

    /// The member `event.effect`, as read.
    struct EffectPart {
        var on: Text?
        var kind: Text?
        var id: Text?
        var refunded: AmountPart?
        var moment: Text?
        var status: Text?
        var amount: AmountPart?
    }

    /// The member `order`, as read.
    package struct OrderPart {
        package internal(set) var reference: Text?
        package internal(set) var status: Text?
        package internal(set) var previous: Text?
        package internal(set) var transaction: Text?
        var method: Text?
        var agreement: Text?
        var amount: AmountPart?
        var refunded: AmountPart?
        var authorized: AmountPart?
        var captured: AmountPart?
        var reason: ReasonPart?
        package internal(set) var absorbed: [Text] = []
        package internal(set) var absorbedIDs: [Text] = []
        var touched: [Touched] = []

        /// An element of `touched`.
        struct Touched {
            var reference: Text?
            var id: Text?
            var first: Int64?
        }
    }

    /// An amount, as read.
    package struct AmountPart {
        var minor: Int64?
        var currency: Text?
    }

    /// A reason, as read.
    struct ReasonPart {
        var code: Text?
        var message: Text?
    }

    func reason(_ part: ReasonPart?) -> Reason? {
        guard let part else { return nil }
        return Reason(code: string(part.code), message: string(part.message))
    }
}

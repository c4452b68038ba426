import JSON
import Payments

/// The event of a record.
package struct RecordedEvent: Sendable, Equatable {
    package var sequence: UInt64
    package var received: Timestamp
    package var endpoint: String
    package var provider: String
    /// Which of the endpoint's keys verified it.
    package var key: String
    package var outcome: RecordOutcome
    /// The record of the first event of this identity, when this one has other content.
    package var conflictsWith: UInt64?
    /// The record whose notification this one replaces, in a record of the kind `correction`.
    package var corrects: UInt64?
    package var notification: Notification
    /// Whether it is the answer to an inquiry: then the record keeps both sides of it.
    package var isInquiry: Bool
    private let rare: Rare?

    /// The expectation that the merchant registered, in a record of the kind `expectation`: it came
    /// from no provider and has no request.
    package var registered: RegisteredExpectation? { rare?.registered }
    /// The act of a person, in a record of the kind `action`; nil of a kind that a later program
    /// has added.
    package var action: RecordedAction? { rare?.action }
    /// Whether it is an act of a person: then there is no request either.
    package var isAct: Bool { rare?.isAct ?? false }
    /// The event's place in a request that reported several; nil where it was the only one.
    package var part: RecordPart? { rare?.part }

    /// The event of a notification.
    package init(
        sequence: UInt64, received: Timestamp, endpoint: String, provider: String, key: String,
        outcome: RecordOutcome, conflictsWith: UInt64?, part: RecordPart? = nil,
        notification: Notification
    ) {
        self.sequence = sequence
        self.received = received
        self.endpoint = endpoint
        self.provider = provider
        self.key = key
        self.outcome = outcome
        self.conflictsWith = conflictsWith
        self.notification = notification
        isInquiry = false
        rare = part.map { Rare(nil, nil, isAct: false, part: $0) }
    }

    /// Whether a provider sent it. The record keeps the request, or names the one that does.
    package var isReceived: Bool {
        registered == nil && corrects == nil && !isInquiry && !isAct
    }

    /// Whether the record keeps the request that brought the event.
    package var hasRequest: Bool { isReceived && part?.holder == nil }

    /// Members that few records have, in an object: a start hands millions of events from one
    /// thread to another, and each would be twice as large.
    private final class Rare: Equatable, Sendable {
        let registered: RegisteredExpectation?
        let action: RecordedAction?
        let isAct: Bool
        let part: RecordPart?

        init(
            _ registered: RegisteredExpectation?, _ action: RecordedAction?, isAct: Bool,
            part: RecordPart?
        ) {
            self.registered = registered
            self.action = action
            self.isAct = isAct
            self.part = part
        }

        static func == (left: Rare, right: Rare) -> Bool {
            left.registered == right.registered && left.action == right.action
                && left.isAct == right.isAct && left.part == right.part
        }
    }
}

extension RecordedEvent {
    /// The event that `reader` has read. Throws when a member is missing or invalid.
    ///
    /// - Parameter reader: Has read `RecordReader.Parts.event`; with `.end`, `isInquiry` is set.
    package init(_ reader: borrowing RecordReader) throws(RecordError) {
        guard let schema = reader.schema else { throw .missing("schema") }
        guard schema == 1 else { throw .schema(schema) }
        guard let sequence = reader.sequence.flatMap({ UInt64(exactly: $0) }) else {
            throw .missing("sequence")
        }
        guard let text = reader.received else { throw .missing("received") }
        guard let received = reader.moment(text) else { throw .value("received") }
        guard let endpoint = reader.endpoint else { throw .missing("endpoint") }
        guard let provider = reader.provider else { throw .missing("provider") }
        guard let name = reader.outcome, let outcome = RecordOutcome(rawValue: reader.string(name))
        else { throw .value("outcome") }
        guard let event = reader.event else { throw .missing("event") }
        self.sequence = sequence
        self.received = received
        self.endpoint = reader.string(endpoint)
        self.provider = reader.string(provider)
        key = reader.string(reader.key) ?? ""
        self.outcome = outcome
        conflictsWith = reader.conflictsWith.flatMap { UInt64(exactly: $0) }
        corrects = reader.corrects.flatMap { UInt64(exactly: $0) }
        notification = try reader.notification(event)
        isInquiry = reader.isInquiry
        guard event.registered != nil || event.isAct || reader.part != nil else {
            rare = nil
            return
        }
        rare = Rare(
            event.registered, try event.action?.action(of: notification, received: received),
            isAct: event.isAct, part: reader.part)
    }
}

extension RecordReader {
    fileprivate func notification(_ event: EventPart) throws(RecordError) -> Notification {
        guard let id = event.id, let kind = event.kind, let status = event.status else {
            throw .missing("event.id, kind or status")
        }
        var occurred: Timestamp?
        if let text = event.occurred {
            occurred = moment(text)
            if occurred == nil { throw .value("event.occurred") }
        }
        var ids = IDSpace.account
        if let name = event.ids {
            guard let space = IDSpace(rawValue: string(name)) else { throw .value("event.ids") }
            ids = space
        }
        var flags: [Flag] = []
        for name in event.flags {
            guard let flag = Flag(rawValue: string(name)) else { throw .value("event.flags") }
            flags.append(flag)
        }
        // Made in one step: one that is made first and then filled is copied when it is returned.
        return Notification(
            id: string(id), kind: string(kind), status: string(status), occurred: occurred,
            reference: string(event.reference), alias: string(event.alias),
            transaction: string(event.transaction), effect: try effect(event.effect), ids: ids,
            refundedAtLeast: try money(event.refundedAtLeast, "event.refundedAtLeast"),
            reason: reason(event.reason), method: string(event.method),
            agreement: string(event.agreement), flags: flags)
    }

    private func effect(_ part: EffectPart?) throws(RecordError) -> Effect {
        guard let part, let on = part.on else { return .none }
        let amount = try money(part.amount, "event.effect.amount")
        switch member(on, of: Self.subjects) {
        case .attempt: return .attempt(try status(part, Self.attemptStatuses), amount)
        case .capture: return .capture(id: try id(part), try actionStatus(part), amount)
        case .refund: return .refund(id: try id(part), try actionStatus(part), amount)
        case .dispute:
            return .dispute(id: try id(part), try status(part, Self.disputeStatuses), amount)
        case .reversal:
            guard let name = part.kind, let kind = Reversal.Kind(name: string(name)) else {
                throw .value("event.effect.of")
            }
            return .reversal(kind, id: try id(part), try actionStatus(part), amount)
        case .unclearRefund:
            let claim = RefundClaim(
                amount: amount, refunded: try money(part.refunded, "event.effect.refunded"),
                moment: string(part.moment))
            return .unclearRefund(id: try id(part), try actionStatus(part), claim)
        case .doubt: return .doubt
        case nil: throw .value("event.effect.on")
        }
    }

    /// The member `event.effect.on`: what the event is about.
    private enum Subject: String, CaseIterable {
        case attempt, capture, refund, dispute, reversal, doubt
        case unclearRefund = "unclear_refund"
    }

    private static let subjects = MemberTable<Subject>()
    private static let attemptStatuses = MemberTable<AttemptStatus>(\.name)
    private static let actionStatuses = MemberTable<ActionStatus>(\.name)
    private static let disputeStatuses = MemberTable<DisputeStatus>(\.name)

    private func id(_ part: EffectPart) throws(RecordError) -> String {
        guard let id = part.id else { throw .missing("event.effect.id") }
        return string(id)
    }

    private func status<Status>(
        _ part: EffectPart, _ table: MemberTable<Status>
    ) throws(RecordError) -> Status {
        guard let status = member(part.status, of: table) else {
            throw .value("event.effect.status")
        }
        return status
    }

    private func actionStatus(_ part: EffectPart) throws(RecordError) -> ActionStatus {
        try status(part, Self.actionStatuses)
    }
}

/// The member `event.expectation`: what the merchant expects of an order, with metadata that it
/// gets back.
package struct RegisteredExpectation: Sendable, Equatable {
    package var expectation: Expectation
    /// The shop's own reference of the order of which the payment is a try.
    package var order: String?
    /// A JSON object, as in the record; empty when there is none.
    package var metadata: [UInt8]

    package init(expectation: Expectation, order: String? = nil, metadata: [UInt8]) {
        self.expectation = expectation
        self.order = order
        self.metadata = metadata
    }

    /// Reads the member. Throws `syntax` when the amount is missing or invalid.
    init(from scanner: inout JSONScanner) throws(JSONError) {
        let start = scanner.offset
        var minor: Int64?
        var currency: Currency?
        var expires: Timestamp?
        metadata = []
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "amount":
                try scanner.beginObject()
                while let part = try scanner.nextKey() {
                    switch part {
                    case "minor": minor = try scanner.int64()
                    case "currency": currency = Currency(try scanner.string())
                    default: try scanner.skipValue()
                    }
                }
            case "expires": expires = Timestamp(iso8601: try scanner.string())
            case "order": order = try scanner.string()
            case "metadata": metadata = scanner.bytes(in: try scanner.skipValue())
            default: try scanner.skipValue()
            }
        }
        guard let minor, let currency else { throw .syntax(start) }
        expectation = Expectation(
            amount: Money(minor: minor, currency: currency), expires: expires)
    }

    /// The member's value.
    package var contentBytes: [UInt8] { bytes(metadata) }

    /// A second registration is the same when it has the same of these bytes. Of sealed metadata
    /// they have the digest, because each sealing gives other bytes.
    package var comparedBytes: [UInt8] {
        bytes(SealedMetadata(metadata).map { Array($0.digest.utf8) } ?? metadata)
    }

    private func bytes(_ metadata: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.write(atMost: 256 + (order.map { RecordWriter.room($0) } ?? 0)) { writer in
            writer.amount(#"{"amount":"#, expectation.amount)
            if let expires = expectation.expires {
                writer.fragment(#","expires":"#)
                writer.moment(expires)
            }
            writer.text(#","order":"#, order)
            if !metadata.isEmpty { writer.fragment(#","metadata":"#) }
        }
        bytes += metadata
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

extension Notification {
    /// The event of a record of an expectation for `reference`. Its effect is `none`: the
    /// expectation is what changes the order.
    package static func expectation(_ reference: String) -> Notification {
        Notification(
            id: "expectation:\(reference)", kind: "expectation", status: "registered",
            reference: reference)
    }
}

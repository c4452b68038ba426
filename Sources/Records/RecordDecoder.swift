import JSON
import Payments

/// Reads records again.
package enum RecordDecoder {
    /// The event of a record. Start-up reads millions, so it stops before the request, which is
    /// most of a record.
    package static func event(_ record: UnsafeRawBufferPointer) throws(RecordError) -> RecordedEvent
    {
        var draft = RecordDraft()
        do throws(JSONError) {
            var scanner = JSONScanner(record)
            try scanner.beginObject()
            while let member = try scanner.nextKey(), member != "request" {
                try draft.read(member, from: &scanner)
                if draft.isInquiry { break }
            }
        } catch {
            throw .json(error)
        }
        return try draft.event()
    }

    /// The request of a record, as it was received.
    package static func request(_ record: UnsafeRawBufferPointer) throws(RecordError)
        -> RecordedRequest
    {
        var draft = RequestDraft()
        do throws(JSONError) {
            var scanner = JSONScanner(record)
            try scanner.beginObject()
            while let member = try scanner.nextKey() {
                if member == "request" {
                    try draft.read(from: &scanner)
                } else {
                    try scanner.skipValue()
                }
            }
            try scanner.end()
        } catch {
            throw .json(error)
        }
        return try draft.request()
    }

    /// As `event(_:)`, from an array.
    package static func event(_ record: [UInt8]) throws(RecordError) -> RecordedEvent {
        try record.span.withUnsafeBytes { bytes throws(RecordError) in try event(bytes) }
    }

    /// As `request(_:)`, from an array.
    package static func request(_ record: [UInt8]) throws(RecordError) -> RecordedRequest {
        try record.span.withUnsafeBytes { bytes throws(RecordError) in try request(bytes) }
    }
}

/// What can be wrong with a record that the journal holds.
package enum RecordError: Error, Sendable, Equatable {
    /// It is not JSON of the form that `RecordEncoder` writes.
    case json(JSONError)
    /// A newer program wrote it.
    case schema(Int64)
    /// The record says another sequence than its place in the journal.
    case sequence(Int64)
    /// A member is missing.
    case missing(String)
    /// A member has a value that it cannot have.
    case value(String)

    package var reason: String {
        switch self {
        case .json: "record_json"
        case .schema: "record_schema"
        case .sequence: "record_sequence"
        case .missing: "record_member_missing"
        case .value: "record_member_value"
        }
    }
}

extension RecordError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .json(let error): "not the JSON of a record: \(error.reason)"
        case .schema(let schema): "schema \(schema) is newer than this program"
        case .sequence(let sequence): "the record calls itself \(sequence)"
        case .missing(let member): "\(member) is missing"
        case .value(let member): "\(member) has a value that it cannot have"
        }
    }
}

/// The members of a record as they are met; what is not a member of schema 1 is passed over.
struct RecordDraft {
    private var schema: Int64?
    private var sequence: Int64?
    private var received: String?
    private var endpoint: String?
    private var provider: String?
    private var key: String?
    private var outcome: String?
    private var conflictsWith: Int64?
    private var corrects: Int64?
    private var hasEvent = false
    /// Met the member that is in a request's place.
    private(set) var isInquiry = false
    private var id: String?
    private var kind: String?
    private var status: String?
    private var occurred: String?
    private var reference: String?
    private var alias: String?
    private var transaction: String?
    private var ids: String?
    private var method: String?
    private var agreement: String?
    private var effect = EffectDraft()
    private var refundedAtLeast = AmountDraft()
    private var reason: Reason?
    private var flags: [String] = []
    private var registered: RegisteredExpectation?
    private var action: ActionDraft?

    mutating func read(_ member: String, from scanner: inout JSONScanner) throws(JSONError) {
        switch member {
        case "schema": schema = try scanner.int64()
        case "sequence": sequence = try scanner.int64()
        case "received": received = try scanner.string()
        case "endpoint": endpoint = try scanner.string()
        case "provider": provider = try scanner.string()
        case "key": key = try scanner.string()
        case "outcome": outcome = try scanner.string()
        case "conflictsWith": conflictsWith = try scanner.int64()
        case "corrects": corrects = try scanner.int64()
        case "event":
            hasEvent = true
            try readEvent(from: &scanner)
        case "inquiry": isInquiry = true
        default: try scanner.skipValue()
        }
    }

    private mutating func readEvent(from scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "id": id = try scanner.string()
            case "kind": kind = try scanner.string()
            case "status": status = try scanner.string()
            case "occurred": occurred = try scanner.string()
            case "reference": reference = try scanner.string()
            case "alias": alias = try scanner.string()
            case "transaction": transaction = try scanner.string()
            case "ids": ids = try scanner.string()
            case "method": method = try scanner.string()
            case "agreement": agreement = try scanner.string()
            case "refundedAtLeast": try refundedAtLeast.read(from: &scanner)
            case "reason": try readReason(from: &scanner)
            case "expectation": registered = try RegisteredExpectation(from: &scanner)
            case "action": action = try ActionDraft(from: &scanner)
            case "effect": try effect.read(from: &scanner)
            case "flags":
                try scanner.beginArray()
                while try scanner.nextElement() { flags.append(try scanner.string()) }
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readReason(from scanner: inout JSONScanner) throws(JSONError) {
        var code: String?
        var message: String?
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "code": code = try scanner.string()
            case "message": message = try scanner.string()
            default: try scanner.skipValue()
            }
        }
        reason = Reason(code: code, message: message)
    }

    /// The event, when everything that makes one was there.
    func event() throws(RecordError) -> RecordedEvent {
        guard let schema else { throw .missing("schema") }
        guard schema == 1 else { throw .schema(schema) }
        guard let sequence = sequence.flatMap({ UInt64(exactly: $0) }) else {
            throw .missing("sequence")
        }
        guard let received else { throw .missing("received") }
        guard let received = Timestamp(iso8601: received) else { throw .value("received") }
        guard let endpoint else { throw .missing("endpoint") }
        guard let provider else { throw .missing("provider") }
        guard let outcome = outcome.flatMap(RecordOutcome.init(rawValue:)) else {
            throw .value("outcome")
        }
        let notification = try notification()
        return RecordedEvent(
            sequence: sequence, received: received, endpoint: endpoint, provider: provider,
            key: key ?? "", outcome: outcome,
            conflictsWith: conflictsWith.flatMap { UInt64(exactly: $0) },
            corrects: corrects.flatMap { UInt64(exactly: $0) },
            notification: notification, registered: registered, isInquiry: isInquiry,
            action: try action?.action(of: notification, received: received),
            isAct: action != nil)
    }

    private func notification() throws(RecordError) -> Notification {
        guard hasEvent else { throw .missing("event") }
        guard let id, let kind, let status else { throw .missing("event.id, kind or status") }
        var known: [Flag] = []
        for flag in flags {
            guard let flag = Flag(rawValue: flag) else { throw .value("event.flags") }
            known.append(flag)
        }
        var moment: Timestamp?
        if let occurred {
            moment = Timestamp(iso8601: occurred)
            if moment == nil { throw .value("event.occurred") }
        }
        guard let space = IDSpace(rawValue: ids ?? IDSpace.account.rawValue) else {
            throw .value("event.ids")
        }
        return Notification(
            id: id, kind: kind, status: status, occurred: moment, reference: reference,
            alias: alias, transaction: transaction, effect: try effect.effect(), ids: space,
            refundedAtLeast: try refundedAtLeast.money("event.refundedAtLeast"), reason: reason,
            method: method, agreement: agreement, flags: known)
    }
}

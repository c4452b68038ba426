import JSON
import Payments

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
    private var id: String?
    private var kind: String?
    private var status: String?
    private var occurred: String?
    private var reference: String?
    private var alias: String?
    private var transaction: String?
    private var effect = EffectDraft()
    private var refundedAtLeast = AmountDraft()
    private var reason: Reason?
    private var flags: [String] = []
    private var registered: RegisteredExpectation?

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
            case "refundedAtLeast": try refundedAtLeast.read(from: &scanner)
            case "reason": try readReason(from: &scanner)
            case "expectation": registered = try RegisteredExpectation(from: &scanner)
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
        return RecordedEvent(
            sequence: sequence, received: received, endpoint: endpoint, provider: provider,
            key: key ?? "", outcome: outcome,
            conflictsWith: conflictsWith.flatMap { UInt64(exactly: $0) },
            corrects: corrects.flatMap { UInt64(exactly: $0) },
            notification: try notification(), registered: registered)
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
        return Notification(
            id: id, kind: kind, status: status, occurred: moment, reference: reference,
            alias: alias, transaction: transaction, effect: try effect.effect(),
            refundedAtLeast: try refundedAtLeast.money("event.refundedAtLeast"), reason: reason,
            flags: known)
    }
}

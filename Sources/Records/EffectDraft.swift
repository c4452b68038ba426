import JSON
import Payments

/// The `effect` member of a record's event as it is read.
struct EffectDraft {
    private var thing: String?
    private var id: String?
    private var status: String?
    private var kind: String?
    private var moment: String?
    private var amount = AmountDraft()
    private var refunded = AmountDraft()

    mutating func read(from scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "on": thing = try scanner.string()
            case "of": kind = try scanner.string()
            case "id": id = try scanner.string()
            case "status": status = try scanner.string()
            case "moment": moment = try scanner.string()
            case "amount": try amount.read(from: &scanner)
            case "refunded": try refunded.read(from: &scanner)
            default: try scanner.skipValue()
            }
        }
    }

    /// The effect; `none` when the record has none.
    func effect() throws(RecordError) -> Effect {
        guard let thing else { return .none }
        let amount = try amount.money("event.effect.amount")
        switch thing {
        case "attempt": return .attempt(try reported(), amount)
        case "capture": return .capture(id: try identifier(), try reported(), amount)
        case "refund": return .refund(id: try identifier(), try reported(), amount)
        case "dispute": return .dispute(id: try identifier(), try reported(), amount)
        case "reversal":
            guard let kind = kind.flatMap(Reversal.Kind.init(name:)) else {
                throw .value("event.effect.of")
            }
            return .reversal(kind, id: try identifier(), try reported(), amount)
        case "unclear_refund":
            let claim = RefundClaim(
                amount: amount, refunded: try refunded.money("event.effect.refunded"),
                moment: moment)
            return .unclearRefund(id: try identifier(), try reported(), claim)
        case "doubt": return .doubt
        default: throw .value("event.effect.on")
        }
    }

    private func identifier() throws(RecordError) -> String {
        guard let id else { throw .missing("event.effect.id") }
        return id
    }

    private func reported<Status: RisingStatus>() throws(RecordError) -> Status {
        guard let status = status.flatMap(Status.init(name:)) else {
            throw .value("event.effect.status")
        }
        return status
    }
}

/// An amount of a record as it is read.
struct AmountDraft {
    private var minor: Int64?
    private var currency: String?
    private var isThere = false

    mutating func read(from scanner: inout JSONScanner) throws(JSONError) {
        isThere = true
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "minor": minor = try scanner.int64()
            case "currency": currency = try scanner.string()
            default: try scanner.skipValue()
            }
        }
    }

    /// The amount; nil when the record has none. Throws `value` with `name` when it is none.
    func money(_ name: StaticString) throws(RecordError) -> Money? {
        guard isThere else { return nil }
        guard let minor, let currency = currency.flatMap({ Currency($0) }) else {
            throw .value("\(name)")
        }
        return Money(minor: minor, currency: currency)
    }
}

import JSON
import Payments

/// The `effect` member of a record's event as it is read.
struct EffectDraft {
    private var thing: String?
    private var id: String?
    private var status: String?
    private var minor: Int64?
    private var currency: String?
    private var hasAmount = false

    mutating func read(from scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "on": thing = try scanner.string()
            case "id": id = try scanner.string()
            case "status": status = try scanner.string()
            case "amount":
                hasAmount = true
                try readAmount(from: &scanner)
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readAmount(from scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "minor": minor = try scanner.int64()
            case "currency": currency = try scanner.string()
            default: try scanner.skipValue()
            }
        }
    }

    /// The effect; `none` when the record has none.
    func effect() throws(RecordError) -> Effect {
        guard let thing else { return .none }
        let amount = try amount()
        switch thing {
        case "attempt": return .attempt(try reported(), amount)
        case "capture": return .capture(id: try identifier(), try reported(), amount)
        case "refund": return .refund(id: try identifier(), try reported(), amount)
        case "dispute": return .dispute(id: try identifier(), try reported(), amount)
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

    private func amount() throws(RecordError) -> Money? {
        guard hasAmount else { return nil }
        guard let minor, let currency = currency.flatMap({ Currency($0) }) else {
            throw .value("event.effect.amount")
        }
        return Money(minor: minor, currency: currency)
    }
}

import JSON
import Payments
import Providers

/// The JSON with which `ipnd send --simulator` registers an order with `ipnd simulate`:
///
/// ```json
/// {"endpoint":"shop","reference":"ORDER-1","events":[{"type":"paid","transaction":"…",
///  "action":"…","minor":4200,"currency":"MYR","occurred":"2026-11-21T07:00:00Z","number":1}]}
/// ```
extension SampleLife {
    package func json(endpoint: String) -> [UInt8] {
        JSONWriter.object(reserving: 512) { json in
            json.member("endpoint", endpoint)
            json.member("reference", reference)
            json.array("events", events) { json, event in
                json.member("type", event.type.rawValue)
                json.member("transaction", event.transaction)
                json.member("action", event.actionID)
                json.member("minor", event.money.minor)
                json.member("currency", event.money.currency.code)
                json.member("occurred", event.occurred.rfc3339)
                json.member("number", event.number)
            }
        }
    }

    /// Nil for other texts.
    package static func read(_ json: [UInt8]) -> (endpoint: String, life: SampleLife)? {
        guard let root = try? JSONDocument(parsing: json).root,
            let endpoint = root["endpoint"]?.string, let reference = root["reference"]?.string,
            let events = root["events"], events.kind == .array
        else { return nil }
        var life = SampleLife(reference: reference)
        for value in events.elements {
            guard let event = SampleEvent(value, reference: reference) else { return nil }
            life.append(event)
        }
        return (endpoint, life)
    }
}

extension SampleEvent {
    fileprivate init?(_ value: JSONValue, reference: String) {
        guard let type = value["type"]?.string.flatMap({ EventType(rawValue: $0) }),
            let transaction = value["transaction"]?.string,
            let action = value["action"]?.string, let minor = value["minor"]?.int64,
            let currency = value["currency"]?.string.flatMap({ Currency($0) }),
            let occurred = value["occurred"]?.string.flatMap({ Timestamp(lenient: $0) }),
            let number = value["number"]?.int64
        else { return nil }
        self.init(
            type: type, reference: reference, transaction: transaction, actionID: action,
            money: Money(minor: minor, currency: currency), occurred: occurred,
            number: Int(truncatingIfNeeded: number))
    }
}

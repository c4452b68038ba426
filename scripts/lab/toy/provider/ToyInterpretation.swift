import JSON
import Payments

/// The toy's words: `type` and `status` are those of ``EventType``.
enum ToyInterpretation {
    private static let attempts: [String: AttemptStatus] = [
        "pending": .pending, "authorized": .authorized, "paid": .paid, "failed": .failed,
        "canceled": .canceled, "expired": .expired,
    ]
    private static let actions: [String: ActionStatus] = [
        "pending": .pending, "succeeded": .succeeded, "failed": .failed,
    ]
    private static let disputes: [String: DisputeStatus] = [
        "open": .open, "closed": .closed, "won": .won, "lost": .lost,
    ]

    static func notification(_ body: [UInt8]) -> Notification {
        guard let root = try? JSONDocument(parsing: body).root, let id = root["id"]?.word,
            let type = root["type"]?.word, let status = root["status"]?.word
        else { return .notUnderstood(signed: body) }
        let reference = root["order"]?.word
        let transaction = root["payment"]?.word
        let effect = effect(type, status, of: root["action"]?.word ?? "", money(root))
        guard let effect else {
            return .notUnderstood(
                kind: type, status: status, reference: reference, transaction: transaction,
                effect: .doubt, signed: body)
        }
        return Notification(
            id: EventIdentity.text(id), kind: type, status: status, reference: reference,
            transaction: transaction, effect: effect)
    }

    /// Nil for a word that is not the toy's, and for an amount that is missing.
    private static func effect(
        _ type: String, _ status: String, of id: String, _ money: Money?
    ) -> Effect? {
        guard type != "other" else { return Effect.none }
        guard let money else { return nil }
        return switch type {
        case "payment": attempts[status].map { .attempt($0, money) }
        case "capture": actions[status].map { .capture(id: id, $0, money) }
        case "refund": actions[status].map { .refund(id: id, $0, money) }
        case "dispute": disputes[status].map { .dispute(id: id, $0, money) }
        default: nil
        }
    }

    private static func money(_ root: JSONValue) -> Money? {
        guard let minor = root["amount"]?.int64, minor >= 0,
            let currency = root["currency"]?.word.flatMap({ Currency($0) })
        else { return nil }
        return Money(minor: minor, currency: currency)
    }
}

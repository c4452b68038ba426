import JSON
import Payments

/// A JSON body, read as the endpoint's configuration says (``FieldMapping``).
struct MappedInterpretation {
    let mapping: FieldMapping
    let root: JSONValue

    /// All signed bytes that are the identity where the mapping names none.
    let body: [UInt8]

    /// An identity that the scheme itself carries, as `webhook-id`.
    let carriedIdentity: String?

    static func notification(
        _ body: [UInt8], mapping: FieldMapping, carriedIdentity: String? = nil
    ) -> Notification {
        guard let document = try? JSONDocument(parsing: body) else {
            return .notUnderstood(signed: body)
        }
        return MappedInterpretation(
            mapping: mapping, root: document.root, body: body, carriedIdentity: carriedIdentity
        ).notification
    }

    private var notification: Notification {
        guard let status = root.at(pointer: mapping.status)?.scalarWord, let identity else {
            return notUnderstood()
        }
        guard let type = mapping.statuses[status] else {
            return Notification(
                id: EventIdentity.text(identity, status), kind: "unknown", status: status,
                occurred: occurred, reference: reference, transaction: transaction,
                ids: mapping.scope.ids, flags: [.unknownStatus])
        }
        guard let effect = effect(type, identity: identity) else {
            return notUnderstood(kind: type.kind, effect: .doubt)
        }
        return Notification(
            // An identity that names the payment and not the event still tells its events apart by
            // what happened. Without a reference the pointer stands for it: a test button may send
            // one identity for every payment.
            id: reference == nil
                ? EventIdentity.text(identity, status, transaction)
                : EventIdentity.text(identity, status),
            kind: type.kind,
            status: type.status, occurred: occurred, reference: reference,
            transaction: transaction, effect: effect, ids: mapping.scope.ids,
            method: word(mapping.method), agreement: word(mapping.agreement))
    }

    /// Nil for what moves money without saying how much, and for what names no order.
    private func effect(_ type: EventType, identity: String) -> Effect? {
        if type == .ignored { return Effect.none }
        guard reference != nil || transaction != nil else { return nil }
        let action = word(mapping.action) ?? identity
        switch type {
        case .pending: return .attempt(.pending, amount)
        case .authorized: return .attempt(.authorized, amount)
        case .paid: return amount.map { .attempt(.paid, $0) }
        case .failed: return .attempt(.failed, amount)
        case .tryFailed: return .attempt(.tryFailed, amount)
        case .canceled: return .attempt(.canceled, amount)
        case .expired: return .attempt(.expired, amount)
        case .captured: return amount.map { .capture(id: action, .succeeded, $0) }
        case .captureFailed: return .capture(id: action, .failed, amount)
        case .refundPending: return .refund(id: action, .pending, amount)
        case .refunded: return amount.map { .refund(id: action, .succeeded, $0) }
        case .refundFailed: return .refund(id: action, .failed, amount)
        case .disputed: return .dispute(id: action, .open, amount)
        case .disputeClosed: return .dispute(id: action, .closed, amount)
        case .disputeWon: return .dispute(id: action, .won, amount)
        case .chargedBack: return .dispute(id: action, .lost, amount)
        case .ignored: return Effect.none
        }
    }

    // MARK: Fields

    private func word(_ pointer: String?) -> String? {
        pointer.flatMap { root.at(pointer: $0)?.wordOrNumber }
    }

    /// Nil where one of the parts is missing: half an identity would make one event of many.
    private var identity: String? {
        if let carriedIdentity { return carriedIdentity }
        guard !mapping.identity.isEmpty else { return EventIdentity.digest(of: body) }
        let parts = mapping.identity.map { word($0) }
        return parts.contains { $0 == nil } ? nil : EventIdentity.text(parts)
    }

    private var reference: String? { word(mapping.reference) }

    private var transaction: String? {
        mapping.transaction == nil ? reference : word(mapping.transaction)
    }

    private var amount: Money? {
        let code: String? =
            switch mapping.currency {
            case .pointer(let pointer): root.at(pointer: pointer)?.string
            case .fixed(let code): code
            case nil: nil
            }
        guard let text = word(mapping.amount), let currency = code.flatMap({ Currency(listed: $0) })
        else {
            return nil
        }
        return switch mapping.amountForm {
        case .minor: Money(minorDigits: text, currency: currency)
        case .decimal: Money(decimal: text, currency: currency, allowingTrailingZeros: true)
        }
    }

    private var occurred: Timestamp? { word(mapping.occurred).flatMap { Timestamp(lenient: $0) } }

    /// `doubt` for a claim about money that cannot be read: the order needs a person.
    private func notUnderstood(
        kind: String = "unknown", effect: Effect = .none
    ) -> Notification {
        .notUnderstood(
            kind: kind, reference: reference, transaction: transaction, effect: effect,
            ids: mapping.scope.ids, signed: body)
    }
}

extension JSONValue {
    /// ``wordOrNumber``, or `true` and `false`: some systems say `"paid": true`.
    fileprivate var scalarWord: String? {
        guard let bool else { return wordOrNumber }
        return bool ? "true" : "false"
    }
}

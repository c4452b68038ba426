import Payments

/// The effect of a recorded event, behind `"effect":{"on":"`.
extension RecordCursor {
    /// The effect up to and past its closing brace; nil for anything unexpected.
    mutating func effect() -> Effect? {
        if take(#"attempt","status":""#) {
            guard let status = attemptStatus(), let amount = amount() else { return nil }
            return .attempt(status, amount.money)
        }
        if take(#"refund","id":""#) {
            guard let id = string(), let status = actionStatus(), let amount = amount() else {
                return nil
            }
            return .refund(id: id, status, amount.money)
        }
        if take(#"capture","id":""#) {
            guard let id = string(), let status = actionStatus(), let amount = amount() else {
                return nil
            }
            return .capture(id: id, status, amount.money)
        }
        // Disputes are rare enough for the general decoder.
        return nil
    }

    private mutating func attemptStatus() -> AttemptStatus? {
        if take(#"paid""#) { return .paid }
        if take(#"pending""#) { return .pending }
        if take(#"authorized""#) { return .authorized }
        if take(#"failed""#) { return .failed }
        if take(#"canceled""#) { return .canceled }
        return take(#"expired""#) ? .expired : nil
    }

    private mutating func actionStatus() -> ActionStatus? {
        guard take(#","status":""#) else { return nil }
        if take(#"succeeded""#) { return .succeeded }
        if take(#"pending""#) { return .pending }
        return take(#"failed""#) ? .failed : nil
    }

    /// The amount, if there is one, and the end of the effect.
    private mutating func amount() -> (money: Money?, Void)? {
        guard take(#","amount":{"minor":"#) else { return take("}") ? (nil, ()) : nil }
        guard let minor = integer(), take(#","currency":""#), let code = text(),
            let currency = Currency(utf8: code.bindMemory(to: UInt8.self).span), take("}}")
        else { return nil }
        return (Money(minor: minor, currency: currency), ())
    }
}

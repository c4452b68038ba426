import Payments

extension FieldMapping {
    /// - Throws: ``SettingsError`` for a pointer that is none (RFC 6901 §3), a currency that is no
    ///   code, or money that is told without its currency.
    func check() throws(SettingsError) {
        for (index, pointer) in identity.enumerated() {
            try Self.check(pointer, "fields.identity[\(index)]")
        }
        try Self.check(status, "fields.status")
        try Self.check(reference, "fields.reference")
        try Self.check(transaction, "fields.transaction")
        try Self.check(action, "fields.action")
        try Self.check(amount, "fields.amount")
        try Self.check(occurred, "fields.occurred")
        try Self.check(method, "fields.method")
        try Self.check(agreement, "fields.agreement")
        switch currency {
        case .pointer: try Self.check(currency, "fields.currency")
        case .text(let code):
            guard Currency(listed: code) != nil else {
                throw SettingsError(
                    key: "fields.currency", message: "a currency is three capital letters")
            }
        default:
            guard amount == nil else {
                throw SettingsError(
                    key: "fields.currency",
                    message: "an amount needs a currency: a pointer or a code")
            }
        }
        guard reference != nil || transaction != nil else {
            throw SettingsError(
                key: "fields.reference", message: "no pointer says which order an event is about")
        }
        guard !statuses.isEmpty else {
            throw SettingsError(
                key: "fields.statuses",
                message: "no word of the provider is mapped, so nothing could happen")
        }
        let needsAmount = statuses.values.contains {
            $0 == .paid || $0 == .captured || $0 == .refunded
        }
        guard amount != nil || !needsAmount else {
            throw SettingsError(
                key: "fields.amount", message: "paid, captured and refunded need an amount")
        }
        try checkVariants()
    }

    private static func check(_ source: Source?, _ key: String) throws(SettingsError) {
        guard let pointer = source?.pointerText else { return }
        let bytes = Array(pointer.utf8)
        let escapesAreRight = bytes.indices.allSatisfy { index in
            guard bytes[index] == UInt8(ascii: "~") else { return true }
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            return next == UInt8(ascii: "0") || next == UInt8(ascii: "1")
        }
        guard bytes.isEmpty || bytes[0] == UInt8(ascii: "/"), escapesAreRight else {
            throw SettingsError(
                key: key, message: "not a JSON pointer (RFC 6901), such as /data/order_id")
        }
    }
}

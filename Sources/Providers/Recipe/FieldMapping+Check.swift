import Payments

extension FieldMapping {
    /// - Throws: ``SettingsError`` for a pointer that is none (RFC 6901 §3), a currency that is no
    ///   code, an amount without its currency, or fields that no event could use.
    func check() throws(SettingsError) { try check("fields", isInElement: false) }

    private func check(_ key: String, isInElement: Bool) throws(SettingsError) {
        for (index, source) in identity.enumerated() {
            try source.check("\(key).identity[\(index)]")
        }
        let sources: [(String, Source?)] = [
            ("status", status), ("reference", reference), ("transaction", transaction),
            ("action", action), ("alias", alias), ("amount", amount),
            ("refundedAtLeast", refundedAtLeast), ("occurred", occurred), ("method", method),
            ("agreement", agreement), ("reason.code", reason?.code),
            ("reason.message", reason?.message),
        ]
        for (name, source) in sources { try source?.check("\(key).\(name)") }
        for condition in test { try condition.check("\(key).test") }
        for (index, source) in unsigned.enumerated() {
            try source.check("\(key).unsigned[\(index)]")
        }
        try checkEach(key, isInElement: isInElement)
        try checkSums(key)
        try checkWords(key)
        for (index, variant) in variants.enumerated() {
            let key = "\(key).variants[\(index)]"
            guard !variant.conditions.isEmpty else {
                throw SettingsError(key: "\(key).when", message: "no condition selects it")
            }
            for condition in variant.conditions { try condition.check("\(key).when") }
            try variant.fields.check(key, isInElement: isInElement || each != nil)
        }
    }

    private func checkEach(_ key: String, isInElement: Bool) throws(SettingsError) {
        guard let each else { return }
        try Source.pointer(each.pointer).check("\(key).each")
        guard each.max > 0 else {
            throw SettingsError(key: "\(key).eachMax", message: "it has to be more than zero")
        }
        guard !isInElement else {
            throw SettingsError(
                key: "\(key).each",
                message: "the fields around it are read from each element already"
            )
        }
    }

    private func checkSums(_ key: String) throws(SettingsError) {
        switch currency {
        case .text(let code):
            guard Currency(listed: code) != nil else {
                throw SettingsError(
                    key: "\(key).currency", message: "a currency is three capital letters")
            }
        case let source?: try source.check("\(key).currency")
        case nil:
            guard amount == nil, refundedAtLeast == nil else {
                throw SettingsError(
                    key: "\(key).currency",
                    message: "an amount needs a currency: a pointer or a code")
            }
        }
        for (code, decimals) in exponents.sorted(by: { utf8Precedes($0.key, $1.key) }) {
            guard Currency(listed: code) != nil, (0...6).contains(decimals) else {
                throw SettingsError(
                    key: "\(key).exponents",
                    message: "\(code): not a currency with zero to six decimals")
            }
        }
        let needsAmount = statuses.values.contains {
            $0 == .paid || $0 == .captured || $0 == .refunded
        }
        guard amount != nil || withoutAmount || !needsAmount else {
            throw SettingsError(
                key: "\(key).amount", message: "paid, captured and refunded need an amount")
        }
    }

    private func checkWords(_ key: String) throws(SettingsError) {
        guard !statuses.isEmpty || !variants.isEmpty else {
            throw SettingsError(
                key: "\(key).statuses",
                message: "no word of the provider is mapped, so nothing could happen")
        }
        let isAboutOrders = statuses.isEmpty || statuses.values.contains { $0 != .ignored }
        guard reference != nil || transaction != nil || !isAboutOrders || !variants.isEmpty else {
            throw SettingsError(
                key: "\(key).reference", message: "no pointer says which order an event is about")
        }
        for word in statusFlags.keys where statuses[word] == nil {
            throw SettingsError(key: "\(key).statuses", message: "\(word) has flags and no meaning")
        }
    }
}

extension Source {
    /// - Throws: ``SettingsError`` at `key` for a pointer that is none, or an empty list.
    func check(_ key: String) throws(SettingsError) {
        switch self {
        case .pointer(let pointer), .root(let pointer):
            guard PointerPath(pointer) != nil else {
                throw SettingsError(
                    key: key, message: "not a JSON pointer (RFC 6901), such as /data/order_id")
            }
        case .first(let sources), .join(let sources, _):
            guard !sources.isEmpty else {
                throw SettingsError(key: key, message: "the list is empty")
            }
            for source in sources { try source.check(key) }
        case .optional(let source), .prefixed(_, let source): try source.check(key)
        case .when(let conditions, let source), .unless(let conditions, let source):
            for condition in conditions { try condition.check(key) }
            try source.check(key)
        case .text, .header, .setting: break
        }
    }
}

extension Condition {
    /// - Throws: ``SettingsError`` at `key` for a condition that nothing could meet.
    func check(_ key: String) throws(SettingsError) {
        try subject.check(key)
        switch test {
        case .isOneOf(let texts), .isNoneOf(let texts), .startsWith(let texts),
            .endsWith(let texts):
            guard !texts.isEmpty else {
                let isKey = key.hasSuffix(".when") ? key.dropLast(4) + "is" : key[...]
                throw SettingsError(key: String(isKey), message: "no word chooses it")
            }
        case .differsFrom(let source): try source.check(key)
        case .isPresent: break
        }
    }
}

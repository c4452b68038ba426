import JSON
import Payments

/// One event of a body, read by the fields that were chosen for it.
struct MappedEvent {
    private let fields: MappedFields
    private let reader: FactReader

    /// The bytes that are the identity where the mapping names none.
    private let signed: [UInt8]
    private let carriedIdentity: String?
    private let countsTests: Bool
    private let reference: String?
    private let transaction: String?
    private let alias: String?

    init(
        fields: MappedFields, reader: FactReader, signed: [UInt8], carriedIdentity: String?,
        countsTests: Bool
    ) {
        self.fields = fields
        self.reader = reader
        self.signed = signed
        self.carriedIdentity = carriedIdentity
        self.countsTests = countsTests
        reference = reader.word(fields.reference)
        transaction = fields.transaction.map { reader.word($0) } ?? reference
        alias = reader.word(fields.alias)
    }

    var notification: Notification {
        let isTest = fields.test.contains(where: reader.holds)
        guard let status = reader.read(fields.status, .scalars).word, let identity else {
            return notUnderstood(signed: signed, isTest: isTest)
        }
        let meaning = fields.meaning(of: status)
        guard !isTest || countsTests else { return testEvent(meaning?.type, status, identity) }
        let testFlags: [Flag] = isTest ? [.testMode] : []
        guard let meaning else {
            return Notification(
                id: EventIdentity.text(identity, status), kind: "unknown", status: status,
                occurred: occurred, reference: reference, alias: alias,
                transaction: transaction, ids: fields.ids, flags: [.unknownStatus] + testFlags)
        }
        let type = meaning.type
        guard let effect = effect(meaning, identity: identity) else {
            return notUnderstood(
                kind: type.kind, effect: .doubt, signed: signed, isTest: isTest)
        }
        return Notification(
            // An identity that names the payment and not the event still tells its events apart by
            // what happened. Without a reference the pointer stands for it: a test button may send
            // one identity for every payment.
            id: reference == nil
                ? EventIdentity.text(identity, status, transaction)
                : EventIdentity.text(identity, status),
            kind: type.kind, status: type.status, occurred: occurred, reference: reference,
            alias: alias, transaction: transaction, effect: effect,
            ids: isUndone(meaning) ? reversalIDs : fields.ids,
            refundedAtLeast: refundedAtLeast, reason: reason,
            method: reader.word(fields.method), agreement: reader.word(fields.agreement),
            flags: meaning.flags + testFlags)
    }

    /// Play money at a live endpoint: kept, shown, and never counted. Samples share one identity,
    /// so all that they name is a part of it.
    private func testEvent(
        _ type: EventType?, _ status: String, _ identity: String
    ) -> Notification {
        Notification(
            id: EventIdentity.text(identity, status, transaction, reference),
            kind: type?.kind ?? "unknown", status: "test_mode", occurred: occurred,
            reference: reference, alias: alias, transaction: transaction,
            ids: fields.ids, flags: [.testMode])
    }

    private func isUndone(_ meaning: MappedFields.Meaning) -> Bool {
        meaning.type == .reversed && meaning.reversal == .operation
    }

    /// A reversal may undo a payment or an operation.
    private var reversalIDs: IDSpace { fields.ids == .account ? .anything : fields.ids }

    /// Nil for what moves money without saying how much, and for what names no order.
    private func effect(_ meaning: MappedFields.Meaning, identity: String) -> Effect? {
        let type = meaning.type
        if type == .ignored { return Effect.none }
        let named = reader.word(fields.action)
        // The id of an operation finds the order that an earlier report of it has named.
        let isNamed = named != nil && type.kind != EventType.paid.kind
        guard reference != nil || transaction != nil || isNamed else { return nil }
        let action = named ?? identity
        let sum = money(fields.amount)
        let amount = sum.money
        // A sum that is there and cannot be read is not one that was left out.
        if amount == nil {
            switch type {
            case .paid, .captured, .refunded:
                guard fields.takesNoAmount, sum.isAbsent else { return nil }
            case .reversed:
                guard sum.isAbsent else { return nil }
            default: break
            }
        }
        return switch type {
        case .pending: .attempt(.pending, amount)
        case .authorized: .attempt(.authorized, amount)
        case .paid: .attempt(.paid, amount)
        case .failed: .attempt(.failed, amount)
        case .tryFailed: .attempt(.tryFailed, amount)
        case .canceled: .attempt(.canceled, amount)
        case .expired: .attempt(.expired, amount)
        case .captured: .capture(id: action, .succeeded, amount)
        case .captureFailed: .capture(id: action, .failed, amount)
        case .refundPending: .refund(id: action, .pending, amount)
        case .refunded: .refund(id: action, .succeeded, amount)
        case .refundFailed: .refund(id: action, .failed, amount)
        case .disputed: .dispute(id: action, .open, amount)
        case .disputeClosed: .dispute(id: action, .closed, amount)
        case .disputeWon: .dispute(id: action, .won, amount)
        case .chargedBack: .dispute(id: action, .lost, amount)
        case .reversed: .reversal(meaning.reversal, id: action, .succeeded, amount)
        case .ignored: Effect.none
        }
    }

    // MARK: Fields

    /// Nil where one of the parts is missing: half an identity would make one event of many.
    private var identity: String? {
        if let carriedIdentity { return carriedIdentity }
        guard !fields.identity.isEmpty else { return EventIdentity.digest(of: signed) }
        var parts: [String?] = []
        parts.reserveCapacity(fields.identity.count)
        for source in fields.identity {
            guard let part = reader.word(source) else { return nil }
            parts.append(part)
        }
        return EventIdentity.text(parts)
    }

    private var reason: Reason? {
        fields.reason.flatMap { reason in
            Reason(
                code: reader.read(reason.code, .texts).word,
                message: reader.read(reason.message, .texts).word)
        }
    }

    private var occurred: Timestamp? {
        guard let text = reader.word(fields.occurred) else { return nil }
        return fields.occurredForm.map { $0.moment(text) } ?? Timestamp(lenient: text)
    }

    /// `doubt` for a claim about money that cannot be read: the order needs a person.
    func notUnderstood(
        kind: String = "unknown", effect: Effect = .none, signed: [UInt8], isTest: Bool = false
    ) -> Notification {
        var notification = Notification.notUnderstood(
            kind: kind, reference: reference, transaction: transaction, effect: effect,
            ids: fields.ids, signed: signed)
        notification.alias = alias
        if isTest { notification.flags.append(.testMode) }
        return notification
    }

    // MARK: Sums

    private enum Sum {
        case absent, unreadable
        case money(Money)

        var money: Money? {
            if case .money(let money) = self { money } else { nil }
        }

        var isAbsent: Bool {
            if case .absent = self { true } else { false }
        }
    }

    private func money(_ source: FactSource) -> Sum {
        switch reader.read(source) {
        case .absent: .absent
        case .unreadable: .unreadable
        case .word(let text):
            currency.flatMap { money(text, $0) }.map { .money($0) } ?? .unreadable
        }
    }

    private func money(_ text: String, _ currency: Currency) -> Money? {
        guard fields.amountForm == .minor else {
            return Money(decimal: text, currency: currency, allowingTrailingZeros: true)
        }
        let money = Money(minorDigits: text, currency: currency)
        guard let decimals = fields.exponents[currency] else { return money }
        return money?.scaled(from: decimals, to: currency.exponent)
    }

    /// A total of nothing says nothing.
    private var refundedAtLeast: Money? {
        let total = money(fields.refundedAtLeast).money
        return total?.minor == 0 ? nil : total
    }

    /// Several systems write `usd`.
    private var currency: Currency? {
        guard let code = reader.word(fields.currency) else { return nil }
        if let currency = Currency(listed: code) { return currency }
        guard code.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return nil }
        return Currency(listed: code.uppercased())
    }
}

extension Money {
    /// The amount counted in units of other decimals; nil where a remainder is left, or where it
    /// does not fit.
    func scaled(from decimals: Int, to others: Int) -> Money? {
        var minor = minor
        for _ in 0..<abs(decimals - others) {
            if decimals > others {
                guard minor % 10 == 0 else { return nil }
                minor /= 10
            } else {
                let (product, overflows) = minor.multipliedReportingOverflow(by: 10)
                guard !overflows else { return nil }
                minor = product
            }
        }
        return Money(minor: minor, currency: currency)
    }
}

extension TimeForm {
    /// The moment that a text in this form names; nil for any other text.
    func moment(_ text: String) -> Timestamp? {
        switch self {
        case .iso8601: return Timestamp(iso8601: text)
        case .seconds: return Self.isDigits(text, 1...11) ? Timestamp(epochDigits: text) : nil
        case .milliseconds:
            return Self.isDigits(text, 13...13) ? Timestamp(epochDigits: text) : nil
        }
    }

    private static func isDigits(_ text: String, _ count: ClosedRange<Int>) -> Bool {
        count.contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

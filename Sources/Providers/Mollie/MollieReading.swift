import JSON
import Payments

/// Reads Mollie's events, and the payments that answers report.
struct MollieReading {
    private let references: [PointerPath]
    private let mode: EndpointSettings.Mode

    /// - Throws: ``SettingsError`` for a reference that is no JSON pointer.
    init(_ settings: EndpointSettings) throws(SettingsError) {
        mode = settings[Mollie.mode] ?? .live
        guard let text = settings[Mollie.reference] else {
            references = ["/metadata/order_id", "/metadata", "/description"]
                .compactMap(PointerPath.init)
            return
        }
        guard text.hasPrefix("/"), let path = PointerPath(text) else {
            throw Mollie.reference.error("\(text) is not a JSON pointer such as /metadata/order_id")
        }
        references = [path]
    }

    // MARK: Events

    /// | `type` | effect |
    /// |---|---|
    /// | `payment.` and a status | the payment has this status |
    /// | `capture.succeeded`, `.failed` | captured, or not |
    /// | `refund.queued`, `.pending`, `.processing` | a refund that is pending |
    /// | `refund.refunded` | a refund that succeeded |
    /// | `refund.failed`, `.canceled` | a refund that failed |
    /// | `chargeback.received`, `.reversed` | charged back, won |
    /// | anything else | none; `payment-link.paid` repeats `payment.paid` |
    func event(_ root: JSONValue?, _ body: [UInt8]) -> Notification {
        guard let root, let id = root["id"]?.word, let type = root["type"]?.word,
            root["entityId"] != nil || root["_embedded"] != nil
        else { return .notUnderstood(signed: body) }
        let parts = type.split(separator: ".", maxSplits: 1)
        let kind = String(parts[0])
        let isKnown = ["payment", "capture", "refund", "chargeback"].contains(kind)
        guard isKnown, parts.count == 2 else {
            var read = Notification(
                id: id, kind: "other", status: type, flags: type == "dispute" ? [.unknownKind] : [])
            read.occurred = time(root["createdAt"])
            return marked(read, root["_embedded"]?["entity"])
        }
        guard let entity = root["_embedded"]?["entity"], entity.kind == .object else {
            return .notUnderstood(kind: kind, transaction: nil, signed: body)
        }
        var read = fact(kind, String(parts[1]), entity, body)
        read.id = id
        read.occurred = time(root["createdAt"])
        return marked(read, entity)
    }

    private func fact(
        _ kind: String, _ word: String, _ entity: JSONValue, _ body: [UInt8]
    ) -> Notification {
        switch kind {
        case "payment": payment(entity, word, body)
        case "capture": operation("capture", entity, word, body)
        case "refund": operation("refund", entity, word, body)
        default: chargeback(entity, isReversed: word == "reversed", body)
        }
    }

    // MARK: Answers

    /// The facts of a payment as an answer reports it, each with its own identity.
    ///
    /// - Throws: ``NoAnswer`` where one cannot be read.
    func facts(_ payment: JSONValue, _ body: [UInt8]) throws(NoAnswer) -> [Notification] {
        let embedded = payment["_embedded"]
        func elements(_ name: StaticString) -> [JSONValue] {
            embedded?[name].map { Array($0.elements) } ?? []
        }
        let status = payment["status"]?.word
        var paid = self.payment(payment, status ?? "", body)
        var identity = ["payment", paid.transaction, status]
        if status == "paid", let taken = money(payment["amountCaptured"]), taken.minor > 0 {
            // It grows with each capture, and then the captures count.
            let captures = elements("captures").filter { $0["status"]?.word == "succeeded" }
            paid.effect = .attempt(.paid, captures.count > 1 ? nil : taken)
            identity.append(taken.decimal)
        }
        let refunds = elements("refunds")
        if let sum = unlisted(payment, refunds) {
            paid.refundedAtLeast = sum
            identity.append(sum.decimal)
        }
        var facts = [try Notification.fact(paid, identity: identity, .tls)]
        for (kind, list) in [("capture", elements("captures")), ("refund", refunds)] {
            for element in list {
                let word = element["status"]?.word
                let read = operation(kind, element, word ?? "", body, of: paid.transaction)
                facts.append(
                    try .fact(read, identity: [kind, element["id"]?.word, word], .tls))
            }
        }
        for element in elements("chargebacks") {
            let isReversed = element["reversedAt"].map { !$0.isNull } ?? false
            for (word, isEnd) in [("received", false), ("reversed", true)]
            where isReversed || !isEnd {
                let read = chargeback(element, isReversed: isEnd, body, of: paid.transaction)
                facts.append(
                    try .fact(read, identity: ["dispute", element["id"]?.word, word], .tls))
            }
        }
        return facts.map { marked($0, payment) }
    }

    /// The refunded sum, if it is more than the listed refunds. `amountRefunded` counts refunds
    /// that wait, too.
    private func unlisted(_ payment: JSONValue, _ refunds: [JSONValue]) -> Money? {
        guard let sum = money(payment["amountRefunded"]) else { return nil }
        func listed(_ status: ActionStatus) -> Int64 {
            refunds.filter { Self.status($0["status"]?.word ?? "") == status }
                .compactMap { money($0["amount"]) }.reduce(0) { $0 + $1.minor }
        }
        let least = sum.minor - listed(.pending)
        return least > listed(.succeeded) ? Money(minor: least, currency: sum.currency) : nil
    }

    // MARK: Entities

    private func payment(_ entity: JSONValue, _ word: String, _ body: [UInt8]) -> Notification {
        let id = entity["id"]?.word
        let reference = references.lazy.compactMap { $0.value(in: entity)?.wordOrNumber }.first
        var flags: [Flag] = []
        let status: AttemptStatus
        switch word {
        case "open", "pending": status = .pending
        case "authorized": status = .authorized
        case "paid": status = .paid
        case "failed": status = .failed
        case "canceled": status = .canceled
        case "expired": status = .expired
        default: (status, flags) = (.pending, [.unknownStatus])
        }
        let amount = money(entity["amount"])
        guard let id, amount != nil || !(status == .paid || status == .authorized) else {
            return .notUnderstood(
                kind: "payment", reference: reference, transaction: id, effect: .doubt,
                signed: body)
        }
        var read = Notification(
            id: id, kind: "payment", status: flags.isEmpty ? status.name : word,
            reference: reference, transaction: id,
            effect: .attempt(status, flags.isEmpty ? amount : nil), flags: flags)
        read.method = entity["method"]?.word
        let reason = entity["statusReason"]
        read.reason = Reason(code: reason?["code"]?.word, message: reason?["message"]?.string)
        if read.reason == nil, let code = entity["details"]?["failureReason"]?.word {
            read.reason = Reason(
                code: code, message: entity["details"]?["failureMessage"]?.string)
        }
        return read
    }

    private static func status(_ word: String) -> ActionStatus? {
        switch word {
        case "succeeded", "refunded": .succeeded
        case "failed", "canceled": .failed
        case "queued", "pending", "processing": .pending
        default: nil
        }
    }

    /// A capture or a refund.
    private func operation(
        _ kind: String, _ entity: JSONValue, _ word: String, _ body: [UInt8],
        of payment: String? = nil
    ) -> Notification {
        let transaction = entity["paymentId"]?.word ?? payment
        let status = Self.status(word)
        let amount = money(entity["amount"])
        guard let id = entity["id"]?.word, let transaction, amount != nil || status != .succeeded
        else {
            return .notUnderstood(
                kind: kind, transaction: transaction, effect: .doubt, signed: body)
        }
        let effect: Effect =
            kind == "capture"
            ? .capture(id: id, status ?? .pending, amount)
            : .refund(id: id, status ?? .pending, amount)
        return Notification(
            id: id, kind: kind, status: status?.name ?? word, transaction: transaction,
            effect: effect, flags: status == nil ? [.unknownStatus] : [])
    }

    /// The whole sum of a chargeback is what the customer got back; `settlementAmount`, what the
    /// merchant lost, may be in another currency.
    private func chargeback(
        _ entity: JSONValue, isReversed: Bool, _ body: [UInt8], of payment: String? = nil
    ) -> Notification {
        let transaction = entity["paymentId"]?.word ?? payment
        guard let id = entity["id"]?.word, let transaction else {
            return .notUnderstood(
                kind: "dispute", transaction: transaction, effect: .doubt, signed: body)
        }
        let status: DisputeStatus = isReversed ? .won : .lost
        let amount = money(entity["amount"])
        // It was lost before, and is not any more.
        let effect: Effect =
            isReversed
            ? .reversal(.dispute, id: EventIdentity.text(id, "reversed"), .succeeded, amount)
            : .dispute(id: id, .lost, amount)
        var read = Notification(
            id: id, kind: "dispute", status: status.name, transaction: transaction, effect: effect)
        read.reason = Reason(
            code: entity["reason"]?["code"]?.word,
            message: entity["reason"]?["description"]?.string)
        return read
    }

    // MARK: Values

    private func money(_ value: JSONValue?) -> Money? {
        guard let currency = value?["currency"]?.utf8.flatMap({ Currency(listed: $0.span) }),
            let text = value?["value"]?.word
        else { return nil }
        // Mollie gives the Icelandic króna two decimals, and ISO 4217 none.
        return Money(decimal: text, currency: currency, allowingTrailingZeros: true)
    }

    private func time(_ value: JSONValue?) -> Timestamp? {
        value?.utf8.flatMap { Timestamp(iso8601: $0.span) }
    }

    /// Marks what happened in the test mode; at a live endpoint it has no effect.
    private func marked(_ notification: Notification, _ entity: JSONValue?) -> Notification {
        guard entity?["mode"]?.word == "test" else { return notification }
        var read = notification
        read.flags.append(.testMode)
        if mode == .live { (read.status, read.effect) = ("test_mode", .none) }
        return read
    }
}

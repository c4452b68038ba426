import JSON
import Payments

/// One event of PayPal, read. Its name says what happened; its resource is the REST resource, whose
/// `status` may be older or newer, and the lesser of both counts.
struct PayPalInterpretation {
    /// A field with the merchant's reference, by its name in v2 and in v1 and disputes.
    enum ReferenceName: String, CaseIterable { case custom_id, invoice_id }

    let root: JSONValue
    let resource: JSONValue
    let body: [UInt8]
    let reference: [ReferenceName]

    static func notification(
        _ evidence: PayPalEvidence, reference: [ReferenceName], mode: EndpointSettings.Mode
    ) -> Notification {
        guard let root = try? JSONDocument(parsing: evidence.body).root, root["id"]?.word != nil,
            let type = root["event_type"]?.word, let resource = root["resource"],
            resource.kind == .object
        else { return .notUnderstood(signed: evidence.body) }
        let reading = PayPalInterpretation(
            root: root, resource: resource, body: evidence.body, reference: reference)
        var read = reading.notification(type)
        read.ids = .anything
        guard mode == .test || evidence.isSimulated else { return read }
        read.flags.append(.testMode)
        // Made up, and at a live endpoint: kept, shown, and never counted.
        if mode == .live { (read.status, read.effect) = ("test_mode", .none) }
        return read
    }

    private func notification(_ type: String) -> Notification {
        let parts = type.split(separator: ".", maxSplits: 2).map(String.init)
        let subject = parts.prefix(2).joined(separator: ".")
        let verb = parts.count > 2 ? parts[2] : ""
        switch (subject, verb) {
        case ("PAYMENT.CAPTURE", "COMPLETED"), ("PAYMENT.SALE", "COMPLETED"): return taken(.paid)
        case ("PAYMENT.CAPTURE", "PENDING"), ("PAYMENT.SALE", "PENDING"): return taken(.pending)
        case ("PAYMENT.CAPTURE", "DENIED"), ("PAYMENT.CAPTURE", "DECLINED"),
            ("PAYMENT.SALE", "DENIED"):
            return taken(.failed)
        case ("PAYMENT.CAPTURE", "REFUNDED"): return returned(from: up?.id, byPayPal: false)
        case ("PAYMENT.CAPTURE", "REVERSED"): return returned(from: up?.id, byPayPal: true)
        case ("PAYMENT.SALE", "REFUNDED"): return returned(from: saleID, byPayPal: false)
        case ("PAYMENT.SALE", "REVERSED"): return returned(from: saleID, byPayPal: true)
        case ("PAYMENT.AUTHORIZATION", "CREATED"):
            return attempt(lesser(.authorized), resource["id"]?.word, in: resource)
        case ("PAYMENT.AUTHORIZATION", "VOIDED"):
            return voided
        case ("CHECKOUT.ORDER", "APPROVED"), ("CHECKOUT.PAYMENT-APPROVAL", "REVERSED"):
            return attempt(
                (verb == "APPROVED" ? .pending : .canceled, []),
                resource["id"]?.word ?? resource["order_id"]?.word,
                in: resource["purchase_units"]?.elements.first { _ in true } ?? resource)
        case ("CUSTOMER.DISPUTE", "CREATED"), ("CUSTOMER.DISPUTE", "UPDATED"):
            return dispute(.open)
        case ("CUSTOMER.DISPUTE", "RESOLVED"): return resolvedDispute
        default:
            let isOurs = ["PAYMENT.CAPTURE", "PAYMENT.SALE", "CUSTOMER.DISPUTE"].contains(subject)
            return event(
                subject.lowercased(), verb.isEmpty ? "unknown" : verb.lowercased(), .none,
                flags: isOurs ? [.unknownKind] : [])
        }
    }

    // MARK: Payments

    private func attempt(
        _ told: (status: AttemptStatus, flags: [Flag]), _ id: String?, in part: JSONValue
    ) -> Notification {
        let amount = money(part["amount"])
        let takes = told.status == .paid || told.status == .authorized
        guard let id, amount != nil || !takes else { return notUnderstood("payment", id) }
        return event(
            "payment", told.status.name, .attempt(told.status, amount), transaction: id,
            reference: own(part), reason: resource["status_details"]?["reason"]?.word,
            flags: told.flags)
    }

    /// An authorization that was released: all of it, or what is left after captures.
    private var voided: Notification {
        guard let id = resource["id"]?.word else { return notUnderstood("payment", nil) }
        return event(
            "payment", "canceled",
            .reversal(.authorization, id: id, .succeeded, money(resource["amount"])),
            transaction: id, reference: own(resource))
    }

    /// A capture or a sale: a payment of its own, or an operation on an authorization.
    private func taken(_ named: AttemptStatus) -> Notification {
        let told = lesser(named)
        let related = resource["supplementary_data"]?["related_ids"]?["authorization_id"]?.word
        guard let parent = related ?? (up?.kind == "authorizations" ? up?.id : nil) else {
            return attempt(told, resource["id"]?.word, in: resource)
        }
        let amount = money(resource["amount"])
        guard let id = resource["id"]?.word, amount != nil || told.status != .paid else {
            return notUnderstood("capture", parent)
        }
        // One that is pending has moved no money, and its end is told.
        let (status, effect): (ActionStatus, Effect) =
            switch told.status {
            case .paid: (.succeeded, .capture(id: id, .succeeded, amount))
            case .failed: (.failed, .capture(id: id, .failed, amount))
            default: (.pending, .none)
            }
        return event(
            "capture", status.name, effect, transaction: parent, alias: own(resource),
            reason: resource["status_details"]?["reason"]?.word, flags: told.flags)
    }

    /// The lesser of what the event's name and the resource's status say. A capture that was
    /// refunded since was paid.
    private func lesser(_ named: AttemptStatus) -> (status: AttemptStatus, flags: [Flag]) {
        guard named != .failed, named != .pending, let own = status else { return (named, []) }
        switch own {
        case "PENDING": return (.pending, [])
        case "DECLINED", "DENIED", "FAILED": return (.failed, [])
        case "COMPLETED", "REFUNDED", "PARTIALLY_REFUNDED", "CREATED", "CAPTURED",
            "PARTIALLY_CAPTURED", "VOIDED":
            return (named, [])
        default: return (.pending, [.unknownStatus])
        }
    }

    // MARK: Operations

    /// A refund by the merchant, or a reversal by PayPal. v1 writes its amount with a minus.
    private func returned(from parent: String?, byPayPal: Bool) -> Notification {
        let (status, flags): (ActionStatus, [Flag]) =
            switch status {
            case "COMPLETED", nil: (.succeeded, [])
            case "PENDING": (.pending, [])
            case "FAILED", "CANCELLED": (.failed, [])
            default: (.pending, [.unknownStatus])
            }
        let kind = byPayPal ? "reversal" : "refund"
        let amount = money(resource["amount"], isSigned: saleID != nil)
        guard let id = resource["id"]?.word, amount != nil || status != .succeeded else {
            return notUnderstood(kind, parent)
        }
        var read = event(
            kind, status.name,
            byPayPal
                ? .reversal(.operation, id: id, status, amount) : .refund(id: id, status, amount),
            transaction: parent, alias: own(resource), flags: flags)
        if status == .succeeded {
            let total = resource["seller_payable_breakdown"]?["total_refunded_amount"]
            read.refundedAtLeast = money(total)
        }
        return read
    }

    private var resolvedDispute: Notification {
        switch resource["dispute_outcome"]?["outcome_code"]?.word {
        case "RESOLVED_BUYER_FAVOUR": dispute(.lost)
        case "RESOLVED_SELLER_FAVOUR": dispute(.won)
        case "RESOLVED_WITH_PAYOUT", "CANCELED_BY_BUYER", "NONE": dispute(.closed)
        // Whom they favour is not documented.
        case "ACCEPTED", "DENIED": dispute(.closed, flags: [.providerReview])
        default: dispute(.closed, flags: [.unknownStatus])
        }
    }

    private func dispute(_ status: DisputeStatus, flags: [Flag] = []) -> Notification {
        let disputed = resource["disputed_transactions"]?.elements.first { _ in true }
        let payment = disputed?["seller_transaction_id"]?.word
        guard let id = resource["dispute_id"]?.word else { return notUnderstood("dispute", payment) }
        return event(
            "dispute", status.name,
            .dispute(id: id, status, money(resource["dispute_amount"])), transaction: payment,
            alias: disputed.flatMap(own), reason: resource["reason"]?.word, flags: flags)
    }

    // MARK: Fields

    /// `status` of v2, `state` of v1.
    private var status: String? { (resource["status"] ?? resource["state"])?.word?.uppercased() }

    private var saleID: String? { resource["sale_id"]?.word }

    /// What the resource belongs to: the last two segments of its link `up`.
    private var up: (kind: String, id: String)? {
        let link = resource["links"]?.elements.first { $0["rel"]?.word == "up" }
        let parts = link?["href"]?.word?.split(separator: "/").suffix(2).map(String.init) ?? []
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    private func own(_ part: JSONValue) -> String? {
        for name in reference {
            let found =
                name == .custom_id
                ? part["custom_id"]?.word ?? part["custom"]?.word
                : part["invoice_id"]?.word ?? part["invoice_number"]?.word
            if let found { return found }
        }
        return nil
    }

    /// `{"currency_code":"USD","value":"30.00"}`; v1 has `currency` and `total`. Decimal text, which
    /// may begin with its point.
    private func money(_ value: JSONValue?, isSigned: Bool = false) -> Money? {
        guard let value,
            let code = (value["currency_code"] ?? value["currency"])?.string,
            let currency = Currency(listed: code),
            let text = (value["value"] ?? value["total"])?.string
        else { return nil }
        let digits = isSigned && text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        return Money(
            decimal: digits.utf8.first == UInt8(ascii: ".") ? "0\(digits)" : String(digits),
            currency: currency, allowingTrailingZeros: true)
    }

    private func event(
        _ kind: String, _ status: String, _ effect: Effect, transaction: String? = nil,
        reference: String? = nil, alias: String? = nil, reason: String? = nil, flags: [Flag] = []
    ) -> Notification {
        // Without a payment's id an operation has nothing else to go by.
        Notification(
            id: EventIdentity.text(root["id"]?.word), kind: kind, status: status,
            occurred: root["create_time"]?.utf8.flatMap { Timestamp(lenient: $0.span) },
            reference: reference ?? (transaction == nil ? alias : nil),
            alias: transaction == nil ? nil : alias, transaction: transaction, effect: effect,
            reason: reason.flatMap { Reason(code: $0, message: nil) }, flags: flags)
    }

    /// A claim about money that cannot be read: the order that it names needs a person.
    private func notUnderstood(_ kind: String, _ transaction: String?) -> Notification {
        .notUnderstood(
            kind: kind, reference: transaction == nil ? own(resource) : nil,
            transaction: transaction, effect: .doubt, signed: body)
    }
}

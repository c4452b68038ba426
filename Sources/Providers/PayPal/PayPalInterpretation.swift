import JSON
import Payments

/// A field with the merchant's reference, by its name in v2.
public enum PayPalReference: String, Sendable, CaseIterable {
    /// `custom_id` of a purchase unit.
    case customID = "custom_id"
    /// `invoice_id` of a purchase unit.
    case invoiceID = "invoice_id"

    /// The name in v1 and in disputes.
    var oldName: String { self == .customID ? "custom" : "invoice_number" }

    /// The endpoint's choice, or all.
    ///
    /// - Throws: ``SettingsError`` for another word.
    static func list(_ settings: EndpointSettings) throws(SettingsError) -> [PayPalReference] {
        guard let words = settings[PayPal.reference] else { return allCases }
        let list = words.compactMap(PayPalReference.init)
        guard !list.isEmpty, list.count == words.count else {
            throw PayPal.reference.error("it lists custom_id, invoice_id or both")
        }
        return list
    }
}

/// The resources that PayPal is asked for. The raw value is their place below the API's root.
enum PayPalResource: String, CaseIterable {
    case capture = "payments/captures"
    case authorization = "payments/authorizations"
    case order = "checkout/orders"
    case refund = "payments/refunds"

    /// The documented statuses of a capture or an authorization; a word that is not here is never
    /// read as a success.
    fileprivate var statuses: [String] {
        switch self {
        case .capture:
            ["COMPLETED", "DECLINED", "FAILED", "PARTIALLY_REFUNDED", "PENDING", "REFUNDED"]
        case .authorization:
            ["CAPTURED", "CREATED", "DENIED", "PARTIALLY_CAPTURED", "PENDING", "VOIDED"]
        case .order, .refund: []
        }
    }
}

/// One event of PayPal, read. Its name says what happened; its resource is the REST resource, whose
/// `status` may be older or newer, and the lesser of both counts.
struct PayPalInterpretation {
    let root: JSONValue
    var resource: JSONValue
    let body: [UInt8]
    let reference: [PayPalReference]
    /// The part of an order around the resource, which also has the merchant's references.
    var unit: JSONValue?

    /// - Parameter isAsked: Whether PayPal is asked about each success, because 32 bits bind it.
    static func notification(
        _ evidence: PayPalEvidence, reference: [PayPalReference], mode: EndpointSettings.Mode,
        isAsked: Bool = false
    ) -> Notification {
        guard let root = try? JSONDocument(parsing: evidence.body).root, root["id"]?.word != nil,
            let type = root["event_type"]?.word, let resource = root["resource"],
            resource.kind == .object
        else { return .notUnderstood(signed: evidence.body) }
        var read = PayPalInterpretation(
            root: root, resource: resource, body: evidence.body, reference: reference
        ).notification(type)
        read.ids = .anything
        if isAsked, read.reportsSuccess {
            read.status = "unconfirmed"
            read.flags.append(.unconfirmed)
        }
        guard mode == .test || evidence.isSimulated else { return read }
        read.flags.append(.testMode)
        // Made up, and at a live endpoint: kept, shown, and never counted.
        if mode == .live { (read.status, read.effect) = ("test_mode", .none) }
        return read
    }

    private func notification(_ type: String) -> Notification {
        switch type {
        case "PAYMENT.CAPTURE.COMPLETED", "PAYMENT.SALE.COMPLETED": return taken(.paid)
        case "PAYMENT.CAPTURE.PENDING", "PAYMENT.SALE.PENDING": return taken(.pending)
        case "PAYMENT.CAPTURE.DENIED", "PAYMENT.CAPTURE.DECLINED", "PAYMENT.SALE.DENIED":
            return taken(.failed)
        case "PAYMENT.CAPTURE.REFUNDED", "PAYMENT.SALE.REFUNDED": return returned("refund")
        case "PAYMENT.CAPTURE.REVERSED", "PAYMENT.SALE.REVERSED": return returned("reversal")
        case "PAYMENT.AUTHORIZATION.CREATED": return attempt(lesser(.authorized), in: resource)
        case "PAYMENT.AUTHORIZATION.VOIDED": return voided
        case "CHECKOUT.ORDER.APPROVED", "CHECKOUT.PAYMENT-APPROVAL.REVERSED":
            return attempt(
                (type.hasSuffix("APPROVED") ? .pending : .canceled, []),
                in: resource["purchase_units"]?.elements.first { _ in true } ?? resource)
        case "CUSTOMER.DISPUTE.CREATED", "CUSTOMER.DISPUTE.UPDATED": return dispute(.open)
        case "CUSTOMER.DISPUTE.RESOLVED": return resolvedDispute
        default:
            let ours = ["PAYMENT.CAPTURE.", "PAYMENT.SALE.", "CUSTOMER.DISPUTE."]
            return event(
                "other", type, .none,
                flags: ours.contains { type.utf8.starts(with: $0.utf8) } ? [.unknownKind] : [])
        }
    }

    // MARK: Answers

    /// The facts of a resource in the answer to an inquiry, by the rules for the event that would
    /// report it. An unknown status is flagged, and never a success.
    func facts(_ kind: PayPalResource) -> [Notification] {
        guard kind != .order else { return orderFacts }
        guard let status else { return [notUnderstood(kind.rawValue, id)] }
        if kind == .refund { return [returned("refund")] }
        guard kind.statuses.contains(status) else {
            var unknown = taken(.pending)
            unknown.status = status
            unknown.flags = [.unknownStatus]
            return [unknown]
        }
        guard kind == .capture else {
            let held = attempt(lesser(.authorized), in: resource)
            return status == "VOIDED" ? [held, voided] : [held]
        }
        var capture = taken(.paid)
        if let amount = money(resource["amount"]) {
            // The refunds are not listed, so a part is at least one minor unit.
            switch status {
            case "REFUNDED": capture.refundedAtLeast = amount
            case "PARTIALLY_REFUNDED":
                capture.refundedAtLeast = Money(minor: 1, currency: amount.currency)
            default: break
            }
        }
        return [capture]
    }

    /// The payments of an order, or the order itself while it has none.
    private var orderFacts: [Notification] {
        let lists: [(StaticString, PayPalResource)] = [
            ("authorizations", .authorization), ("captures", .capture), ("refunds", .refund),
        ]
        let units = resource["purchase_units"]?.elements.map(\.self) ?? []
        var facts: [Notification] = []
        for unit in units {
            for (name, kind) in lists {
                for part in unit["payments"]?[name]?.elements.map(\.self) ?? [] {
                    var own = self
                    (own.resource, own.unit) = (part, unit)
                    facts += own.facts(kind)
                }
            }
        }
        guard facts.isEmpty, status != "COMPLETED" else { return facts }
        let status: AttemptStatus = status == "VOIDED" ? .canceled : .pending
        return [attempt((status, []), in: units.first ?? resource)]
    }

    // MARK: Payments

    /// - Parameter part: What names sum and reference.
    private func attempt(
        _ report: (status: AttemptStatus, flags: [Flag]), in part: JSONValue
    ) -> Notification {
        let amount = money(part["amount"])
        let takes = report.status == .paid || report.status == .authorized
        let id = id ?? resource["order_id"]?.word
        guard let id, amount != nil || !takes else { return notUnderstood("payment", id) }
        return event(
            "payment", report.status.name, .attempt(report.status, amount), of: id,
            reference: own(part), reason: statusReason, flags: report.flags)
    }

    /// An authorization that was released: all of it, or what is left after captures.
    private var voided: Notification {
        guard let id else { return notUnderstood("payment", nil) }
        return event(
            "payment", "canceled",
            .reversal(.authorization, id: id, .succeeded, money(resource["amount"])), of: id,
            reference: own(resource))
    }

    /// A capture or a sale: a payment of its own, or an operation on an authorization.
    private func taken(_ named: AttemptStatus) -> Notification {
        let report = lesser(named)
        let related = resource["supplementary_data"]?["related_ids"]?["authorization_id"]?.word
        guard let parent = related ?? (up?.kind == "authorizations" ? up?.id : nil) else {
            return attempt(report, in: resource)
        }
        let amount = money(resource["amount"])
        guard let id, amount != nil || report.status != .paid else {
            return notUnderstood("capture", parent)
        }
        let status: ActionStatus =
            report.status == .paid ? .succeeded : report.status == .failed ? .failed : .pending
        // One that is pending has moved no money, and its end is report.
        return event(
            "capture", status.name, status == .pending ? .none : .capture(id: id, status, amount),
            of: parent, alias: own(resource), reason: statusReason, flags: report.flags)
    }

    /// The lesser of what the event's name and the resource's status say. A capture that was
    /// refunded since was paid.
    private func lesser(_ named: AttemptStatus) -> (status: AttemptStatus, flags: [Flag]) {
        guard named != .failed, named != .pending, let status else { return (named, []) }
        return switch status {
        case "PENDING": (.pending, [])
        case "DECLINED", "DENIED", "FAILED": (.failed, [])
        case "COMPLETED", "REFUNDED", "PARTIALLY_REFUNDED", "CREATED", "CAPTURED",
            "PARTIALLY_CAPTURED", "VOIDED":
            (named, [])
        default: (.pending, [.unknownStatus])
        }
    }

    // MARK: Operations

    /// A refund by the merchant, or a reversal by PayPal. v1 may write its amount with a minus.
    private func returned(_ kind: String) -> Notification {
        let (status, flags): (ActionStatus, [Flag]) =
            switch status {
            case "COMPLETED", nil: (.succeeded, [])
            case "PENDING": (.pending, [])
            case "FAILED", "CANCELLED": (.failed, [])
            default: (.pending, [.unknownStatus])
            }
        let sale = resource["sale_id"]?.word
        let amount = money(resource["amount"], isSigned: sale != nil)
        guard let id, amount != nil || status != .succeeded else {
            return notUnderstood(kind, sale ?? up?.id)
        }
        let effect: Effect =
            kind == "refund"
            ? .refund(id: id, status, amount) : .reversal(.operation, id: id, status, amount)
        var read = event(
            kind, status.name, effect, of: sale ?? up?.id, alias: own(resource), flags: flags)
        let total = resource["seller_payable_breakdown"]?["total_refunded_amount"]
        if status == .succeeded { read.refundedAtLeast = money(total) }
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
        guard let id = resource["dispute_id"]?.word else {
            return notUnderstood("dispute", payment)
        }
        let effect = Effect.dispute(id: id, status, money(resource["dispute_amount"]))
        return event(
            "dispute", status.name, effect, of: payment, alias: disputed.flatMap(own),
            reason: resource["reason"]?.word, flags: flags)
    }

    // MARK: Fields

    private var id: String? { resource["id"]?.word }

    /// `status` of v2, `state` of v1.
    private var status: String? { (resource["status"] ?? resource["state"])?.word?.uppercased() }

    private var statusReason: String? { resource["status_details"]?["reason"]?.word }

    /// The resource's parent: the last two segments of its link `up`.
    private var up: (kind: String, id: String)? {
        let link = resource["links"]?.elements.first { $0["rel"]?.word == "up" }
        let parts = link?["href"]?.word?.split(separator: "/").suffix(2).map(String.init) ?? []
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    private func own(_ part: JSONValue) -> String? {
        reference.lazy.compactMap {
            part[$0.rawValue]?.word ?? part[$0.oldName]?.word ?? unit?[$0.rawValue]?.word
        }.first
    }

    /// `{"currency_code":"USD","value":"30.00"}`; v1 has `currency` and `total`. Decimal text,
    /// which may begin with its point.
    private func money(_ value: JSONValue?, isSigned: Bool = false) -> Money? {
        guard let value,
            let currency = (value["currency_code"] ?? value["currency"])?.string.flatMap({
                Currency(listed: $0)
            }), var text = (value["value"] ?? value["total"])?.string
        else { return nil }
        if isSigned, text.utf8.first == UInt8(ascii: "-") {
            text = String(text.unicodeScalars.dropFirst())
        }
        if text.utf8.first == UInt8(ascii: ".") { text = "0\(text)" }
        return Money(decimal: text, currency: currency, allowingTrailingZeros: true)
    }

    /// - Parameter transaction: What it is about; without that, an alias is all that there is.
    private func event(
        _ kind: String, _ status: String, _ effect: Effect, of transaction: String? = nil,
        reference: String? = nil, alias: String? = nil, reason: String? = nil, flags: [Flag] = []
    ) -> Notification {
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

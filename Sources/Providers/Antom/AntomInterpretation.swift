import JSON
import Payments

/// Reads an Antom body. All of it is signed.
struct AntomInterpretation {
    let root: JSONValue
    let body: [UInt8]
    /// Whether a successful payment result means that money was taken.
    let capture: EndpointSettings.Capture

    /// Returns the event that `body` reports. It never fails: an unreadable body is
    /// `notUnderstood`.
    static func notification(
        body: [UInt8], capture: EndpointSettings.Capture = .automatic
    ) -> Notification {
        guard let document = try? JSONDocument(parsing: body), document.root.kind == .object else {
            return .notUnderstood(signed: body)
        }
        var read = AntomInterpretation(root: document.root, body: body, capture: capture)
            .notification
        read.ids = Self.ids
        return read
    }

    /// Antom's ids of payments and operations are unique within the account.
    static let ids = IDSpace.anything

    private var notification: Notification {
        switch AntomKind(root) {
        case .payment(let type): payment(type)
        case .capture: captured
        case .refund: refund
        case .dispute(let type): dispute(type)
        case .other(let kind, let status, let ids): other(kind, status, ids)
        case .unknown(let type): unknown(type)
        }
    }

    // MARK: Fields

    func word(_ name: StaticString) -> String? { root[name]?.word }

    /// The value of `result.resultStatus`: `S`, `F` or an unknown word.
    var resultStatus: String? { root["result"]?["resultStatus"]?.word }

    /// Antom's code and message for a failure.
    var reason: Reason? {
        let result = root["result"]
        guard result?["resultStatus"]?.word != "S" else { return nil }
        return Reason(
            code: result?["resultCode"]?.string, message: result?["resultMessage"]?.string)
    }

    /// The payment method. Answers have `paymentMethodType`; a notification names the wallet.
    var method: String? {
        word("paymentMethodType") ?? root["pspCustomerInfo"]?["pspName"]?.word
            ?? root["cardInfo"]?["cardBrand"]?.word
    }

    /// An amount, `{"currency":"MYR","value":"4200"}`: at most 16 digits of the smallest unit
    /// (Antom's page). Nil for any other form; an amount is never guessed.
    func amount(_ name: StaticString) -> Money? { Self.amount(root[name]) }

    static func amount(_ amount: JSONValue?) -> Money? {
        guard let amount, let code = amount["currency"]?.utf8,
            let digits = amount["value"]?.utf8, digits.count <= 16,
            let currency = Currency(listed: code.span)
        else { return nil }
        return Money(minorDigits: digits.span, currency: currency)
    }

    /// The first of two fields that holds a time. Times are for display and sorting; no decision
    /// depends on them.
    func time(_ name: StaticString, or other: StaticString) -> Timestamp? {
        time(name) ?? time(other)
    }

    func time(_ name: StaticString) -> Timestamp? {
        root[name]?.utf8.flatMap { Timestamp(lenient: $0.span) }
    }

    /// A notification of a known kind that lacks the fields needed to act on it. The order that it
    /// names needs a person.
    func notUnderstood(kind: String) -> Notification {
        .notUnderstood(
            kind: kind, reference: word("paymentRequestId"), transaction: word("paymentId"),
            effect: .doubt, signed: body)
    }

    // MARK: Kinds without an order

    private func other(_ kind: String, _ status: String, _ ids: [String]) -> Notification {
        let identity = ids.isEmpty ? EventIdentity.digest(of: body) : EventIdentity.text(ids)
        // Leave out the credentials that can charge the customer (`accessToken`, `vaultingId`).
        let agreement: String? =
            switch kind {
            case "agreement": word("authState")
            case "subscription": word("subscriptionId")
            case "vaulting": word("vaultingRequestId")
            default: nil
            }
        return Notification(
            id: EventIdentity.text(kind, identity, status), kind: kind, status: status,
            agreement: agreement)
    }

    private func unknown(_ type: String) -> Notification {
        Notification(
            id: EventIdentity.text("unknown", type, EventIdentity.digest(of: body)),
            kind: type.lowercased(),
            status: resultStatus ?? "unknown", reference: word("paymentRequestId"),
            transaction: word("paymentId"), flags: [.unknownKind])
    }
}

/// The subject of an Antom notification. `notifyType` decides where it is present; several kinds
/// have none and are identified by fields that only they have.
enum AntomKind: Equatable {
    case payment(Payment)
    case capture, refund
    case dispute(type: String)
    /// A notification about no order; `kind` and `status` are recorded as they are.
    case other(kind: String, status: String, ids: [String])
    case unknown(type: String)

    enum Payment: String {
        case result = "PAYMENT_RESULT"
        case pending = "PAYMENT_PENDING"
        case amountUpdate = "UPDATE_AMOUNT_RESULT"
    }

    init(_ root: JSONValue) {
        guard let type = root["notifyType"] else {
            self = Self.typed(root) ?? Self.untyped(root) ?? .unknown(type: "unknown")
            return
        }
        self =
            Self.named(type.word, root) ?? Self.typed(root)
            ?? .unknown(type: type.word ?? "unknown")
    }

    /// Returns the kind by `notifyType`.
    private static func named(_ type: String?, _ root: JSONValue) -> AntomKind? {
        guard let type else { return nil }
        if let payment = Payment(rawValue: type) { return .payment(payment) }
        return switch type {
        case "CAPTURE_RESULT": .capture
        case "REFUND_RESULT": .refund
        case "REGISTRATION_RESULT":
            .other(kind: "registration", status: type, ids: ids(root, "registrationRequestId"))
        case "SETTLEMENT_RESULT":
            .other(kind: "settlement", status: type, ids: ids(root, "settlementBatchId"))
        default: nil
        }
    }

    /// Returns the kind by a type field that only one kind has. It decides even beside an unknown
    /// `notifyType`.
    private static func typed(_ root: JSONValue) -> AntomKind? {
        if let type = root["disputeNotificationType"]?.word { return .dispute(type: type) }
        if let type = root["authorizationNotifyType"]?.word {
            return .other(kind: "agreement", status: type, ids: [])
        }
        if let type = root["subscriptionNotificationType"]?.word {
            let ids = ids(root, "subscriptionId") + ids(root, "phaseNo")
            return .other(kind: "subscription", status: type, ids: ids.count == 2 ? ids : [])
        }
        return nil
    }

    /// Returns the kind by its ids, if the body has no type at all. Never a payment: without a type
    /// a result and a pending payment look the same, and both carry `S`.
    private static func untyped(_ root: JSONValue) -> AntomKind? {
        if root["refundId"] != nil || root["refundRequestId"] != nil { return .refund }
        if root["captureId"] != nil || root["captureRequestId"] != nil { return .capture }
        if root["vaultingRequestId"] != nil {
            return .other(kind: "vaulting", status: status(root), ids: [])
        }
        if root["transferId"] != nil || root["transferRequestId"] != nil {
            return .other(kind: "transfer", status: status(root), ids: [])
        }
        return nil
    }

    private static func status(_ root: JSONValue) -> String {
        let result = root["result"] ?? root["transferResult"]
        return result?["resultStatus"]?.word ?? "unknown"
    }

    private static func ids(_ root: JSONValue, _ name: StaticString) -> [String] {
        root[name]?.wordOrNumber.map { [$0] } ?? []
    }
}

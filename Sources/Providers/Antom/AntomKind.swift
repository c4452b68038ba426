import JSON

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

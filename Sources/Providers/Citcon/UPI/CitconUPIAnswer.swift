import JSON
import Payments

/// Citcon UPI's answer about a charge, authenticated only by TLS.
struct CitconUPIAnswer {
    /// The charge: the answer's `data`.
    private let charge: JSONValue
    private let id: String
    private let status: String

    /// - Throws: ``NoAnswer`` for an answer that reports nothing about the payment. The outer
    ///   `status` is that of the call.
    init(_ answer: InquiryAnswer, to question: InquiryQuestion) throws(NoAnswer) {
        let root = try JSONDocument.parse(answer: answer.body)
        let code = root["data"]?["code"]?.wordOrNumber ?? ""
        switch answer.status {
        case 200 where root["status"]?.word == "success": break
        case 401, 403:
            throw NoAnswer(
                .denied, .tls, "token_refused", "Citcon answered \(answer.status) \(code)")
        case 404: throw .absent(.tls)
        default:
            throw NoAnswer(
                .retry, .tls, "call_failed", "Citcon answered \(answer.status) \(code)")
        }
        guard let charge = root["data"], charge["object"]?.word == "charge",
            let id = charge["id"]?.word, let status = charge["status"]?.word
        else {
            throw .unreadable(.tls, "charge_missing", "the answer holds no charge with a status")
        }
        let asked = question.name == .transaction ? id : charge["reference"]?.word
        guard asked == question.value else {
            throw .mismatch(question.name == .transaction ? "transaction" : "reference", .tls)
        }
        self.charge = charge
        self.id = id
        self.status = status
    }

    /// The charge, its refunds and its chargebacks.
    var facts: [Notification] {
        get throws(NoAnswer) {
            var facts = [try payment]
            for entry in charge["refunds"]?["data"]?.elements.map(\.self) ?? [] {
                facts.append(try refund(entry))
            }
            for entry in charge["chargebacks"]?["data"]?.elements.map(\.self) ?? [] {
                facts.append(try chargeback(entry))
            }
            return facts
        }
    }

    /// The payment. `amount_refunded` is the total so far and not a single refund, so it is only a
    /// bound.
    private var payment: Notification {
        get throws(NoAnswer) {
            let attempt: AttemptStatus
            var flags: [Flag] = []
            switch status {
            case "succeeded", "captured", "success": attempt = .paid
            case "authorized": attempt = .authorized
            case "initiated", "pending": attempt = .pending
            case "failed", "fail": attempt = .failed
            case "canceled", "cancelled": attempt = .canceled
            case "expired": attempt = .expired
            default:
                attempt = .pending
                flags = [.unknownStatus]
            }
            let whole = Self.money(charge, "amount")
            let captured =
                attempt == .paid && Self.names(charge["amount_captured"])
                ? Self.money(charge, "amount_captured") : whole
            guard attempt != .paid || captured != nil else {
                throw .unreadable(
                    .tls, "amount_missing", "paid, without a readable amount and currency")
            }
            if attempt == .paid, let captured, let whole, captured.minor < whole.minor {
                flags = [.partiallyCaptured]
            }
            var fact = Notification(
                id: "", kind: "payment",
                status: flags.contains(.unknownStatus) ? status : attempt.name,
                occurred: Self.time(charge, "time_captured") ?? Self.time(charge, "time_created"),
                reference: charge["reference"]?.word, transaction: id,
                effect: .attempt(attempt, flags.contains(.unknownStatus) ? nil : captured),
                method: charge["payment"]?["method"]?.word ?? charge["payment_method"]?.word,
                flags: flags)
            if attempt.isUnpaidEnd {
                fact.reason = Reason(
                    code: charge["code"]?.wordOrNumber, message: charge["message"]?.string)
            }
            if attempt == .paid, Self.names(charge["amount_refunded"]) {
                // An unreadable total counts as one minor unit.
                fact.refundedAtLeast =
                    Self.money(charge, "amount_refunded")
                    ?? captured.map { Money(minor: 1, currency: $0.currency) }
            }
            return try .fact(
                fact,
                identity: [
                    "charge", id, status, Self.text(charge["amount_captured"]),
                    Self.text(charge["amount_refunded"]),
                ], .tls)
        }
    }

    /// Reads an element of `refunds.data`; its amount is the smaller of `amount` and
    /// `amount_refunded`.
    private func refund(_ entry: JSONValue) throws(NoAnswer) -> Notification {
        guard let refund = entry["id"]?.word, let word = entry["status"]?.word else {
            throw .unreadable(.tls, "refund_incomplete", "a refund without id or status")
        }
        let action: ActionStatus
        var flags: [Flag] = []
        switch word {
        case "succeeded", "success": action = .succeeded
        case "failed", "fail": action = .failed
        case "initiated", "pending": action = .pending
        default:
            action = .pending
            flags = [.unknownStatus]
        }
        var amount = Self.money(entry, "amount")
        if Self.names(entry["amount_refunded"]) {
            let other = Self.money(entry, "amount_refunded")
            amount = amount.flatMap { own in other.map { min(own, $0) } }
        }
        guard action != .succeeded || amount != nil else {
            throw .unreadable(.tls, "amount_missing", "a refund without a readable amount")
        }
        return try .fact(
            Notification(
                id: "", kind: "refund", status: flags.isEmpty ? action.name : word,
                occurred: Self.time(entry, "time_completed") ?? Self.time(entry, "time_created"),
                alias: entry["reference"]?.word, transaction: id,
                effect: .refund(id: refund, action, amount), flags: flags),
            identity: ["refund", refund, word], .tls)
    }

    /// Reads an element of `chargebacks.data`, whose status words are those of notifications.
    private func chargeback(_ entry: JSONValue) throws(NoAnswer) -> Notification {
        guard let dispute = entry["id"]?.word, let word = entry["status"]?.word else {
            throw .unreadable(.tls, "dispute_incomplete", "a chargeback without id or status")
        }
        let known = CitconUPIInterpretation.disputeStatus(word)
        return try .fact(
            Notification(
                id: "", kind: "dispute", status: known?.name ?? word, transaction: id,
                effect: .dispute(id: dispute, known ?? .open, Self.money(entry, "amount")),
                flags: known == nil ? [.unknownStatus] : []),
            identity: ["chargeback", dispute, word], .tls)
    }

    // MARK: Fields

    /// Whether a field gives an amount. Null, an empty text and zero mean that there is none yet.
    private static func names(_ value: JSONValue?) -> Bool {
        guard let value, !value.isNull else { return false }
        return text(value).map { !$0.isEmpty && $0 != "0" } ?? true
    }

    private static func text(_ value: JSONValue?) -> String? { value?.lexeme ?? value?.string }

    /// An integer in the smallest unit.
    private static func money(_ object: JSONValue, _ name: StaticString) -> Money? {
        guard let digits = text(object[name]),
            let currency = object["currency"]?.string.flatMap({ Currency(listed: $0) })
        else { return nil }
        return Money(minorDigits: digits, currency: currency)
    }

    /// A time in seconds, milliseconds or text.
    private static func time(_ object: JSONValue, _ name: StaticString) -> Timestamp? {
        text(object[name]).flatMap { Timestamp(lenient: $0) }
    }
}

import Bytes
import JSON
import Payments

/// One payment or refund of WeChat Pay, as a notification holds it or an answer reports it.
struct WeChatPayInterpretation {
    let content: JSONValue
    /// The signed bytes: the identity of an event that cannot be read.
    let signed: [UInt8]

    /// All events of a notification. A combined payment has one for each of its orders.
    static func notifications(_ evidence: WeChatPayEvidence) -> [Notification] {
        guard let type = evidence.root?["event_type"]?.word else {
            return [.notUnderstood(signed: evidence.body)]
        }
        guard let isRefund = Self.isRefund(type) else {
            let isOurs = ["TRANSACTION.", "REFUND."].contains {
                type.utf8.starts(with: $0.utf8)
            }
            return [
                Notification(
                    id: EventIdentity.text("other", type, evidence.root?["id"]?.word),
                    kind: "other", status: type, flags: isOurs ? [.unknownKind] : [])
            ]
        }
        guard let plaintext = evidence.plaintext,
            let content = try? JSONDocument(parsing: plaintext).root
        else {
            return [
                .notUnderstood(kind: isRefund ? "refund" : "payment", signed: evidence.body)
            ]
        }
        // The payment itself, not its envelope: a retry is sealed and signed anew.
        let read = WeChatPayInterpretation(content: content, signed: plaintext)
        if isRefund { return [read.refund("refund_status")] }
        let parts = content["sub_orders"]?.elements.map(\.self) ?? []
        return parts.isEmpty
            ? [read.payment]
            : parts.map {
                WeChatPayInterpretation(content: $0, signed: Array($0.rawBytes)).payment
            }
    }

    /// Whether an event is about a refund; nil where it is about no payment.
    private static func isRefund(_ type: String) -> Bool? {
        switch type {
        case "TRANSACTION.SUCCESS": false
        case "REFUND.SUCCESS", "REFUND.ABNORMAL", "REFUND.CLOSED": true
        default: nil
        }
    }

    // MARK: Payments

    /// The payment of an order, by its `trade_state`.
    var payment: Notification {
        guard let reference = content["out_trade_no"]?.word,
            let state = content["trade_state"]?.word
        else { return notUnderstood("payment") }
        var flags: [Flag] = []
        let status: AttemptStatus
        switch state {
        // REFUND: paid, and there are refunds; neither their number nor their sums are named.
        case "SUCCESS", "REFUND":
            guard total != nil, content["transaction_id"]?.word != nil else {
                return notUnderstood("payment")
            }
            status = .paid
        case "NOTPAY", "USERPAYING", "ACCEPT": status = .pending
        // Not paid in time, or closed by the merchant.
        case "CLOSED": status = .expired
        case "REVOKED": status = .canceled
        case "PAYERROR": status = .failed
        default: (status, flags) = (.pending, [.unknownStatus])
        }
        let transaction = content["transaction_id"]?.word
        var read = Notification(
            id: EventIdentity.text("payment", transaction ?? reference, state), kind: "payment",
            status: flags.isEmpty ? status.name : state, occurred: time, reference: reference,
            transaction: transaction,
            effect: .attempt(status, flags.isEmpty ? total : nil), flags: flags)
        read.method = content["bank_type"]?.word
        if state == "REFUND", let total {
            read.refundedAtLeast = Money(minor: 1, currency: total.currency)
        }
        return read
    }

    /// The order's sum; with coupons the buyer paid less.
    private var total: Money? {
        money(content["amount"]?["total"] ?? content["amount"]?["total_amount"])
    }

    // MARK: Refunds

    /// A refund, with its status in the member `name`.
    func refund(_ name: String) -> Notification {
        guard let id = content["refund_id"]?.word, let word = content[name]?.word else {
            return notUnderstood("refund")
        }
        let amount = money(content["amount"]?["refund"])
        var flags: [Flag] = []
        let status: ActionStatus
        switch word {
        case "SUCCESS":
            guard amount != nil else { return notUnderstood("refund") }
            status = .succeeded
        // ABNORMAL: the money could not reach the buyer, and a person sends it another way. The
        // same refund then succeeds or is closed.
        case "ABNORMAL", "PROCESSING": status = .pending
        case "CLOSED": status = .failed
        default: (status, flags) = (.pending, [.unknownStatus])
        }
        return Notification(
            id: EventIdentity.text("refund", id, word), kind: "refund",
            status: flags.isEmpty ? status.name : word, occurred: time,
            reference: content["out_trade_no"]?.word, alias: content["out_refund_no"]?.word,
            transaction: content["transaction_id"]?.word,
            effect: .refund(id: id, status, amount), flags: flags)
    }

    // MARK: Fields

    private var time: Timestamp? {
        (content["success_time"] ?? content["create_time"])?.utf8.flatMap {
            Timestamp(iso8601: $0.span)
        }
    }

    /// A sum in the currency's smallest unit. Without a currency, as in every refund, it is in CNY:
    /// merchants in China are paid in nothing else (documented).
    private func money(_ value: JSONValue?) -> Money? {
        guard let minor = value?.int64, minor >= 0 else { return nil }
        guard let named = content["amount"]?["currency"], !named.isNull else {
            return Money(minor: minor, currency: Self.usualCurrency)
        }
        return named.utf8.flatMap { Currency(listed: $0.span) }.map {
            Money(minor: minor, currency: $0)
        }
    }

    static let usualCurrency = Currency("CNY")!

    /// An authentic payment or refund that cannot be acted on: its order needs a person.
    private func notUnderstood(_ kind: String) -> Notification {
        .notUnderstood(
            kind: kind, reference: content["out_trade_no"]?.word,
            transaction: content["transaction_id"]?.word, effect: .doubt, signed: signed)
    }
}

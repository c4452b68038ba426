import JSON
import Payments

/// The events of one notification of Alipay.
///
/// | `trade_status` | more | open platform | classic global |
/// |---|---|---|---|
/// | `WAIT_BUYER_PAY` | – | pending | pending |
/// | `TRADE_SUCCESS` | – | paid | paid |
/// | `TRADE_SUCCESS` | `refund_fee` | paid, and a refund | – |
/// | `TRADE_FINISHED` | – | paid: no refund is possible any more | paid |
/// | `TRADE_CLOSED` | `refund_fee` or `gmt_payment` | paid, and a refund of all | – |
/// | `TRADE_CLOSED` | – | expired | expired |
///
/// The same payment is reported again with every refund, and when no refund is possible any more.
/// `refund_fee` is the sum refunded so far, not that of this refund.
struct AlipayInterpretation {
    private let evidence: AlipayEvidence

    init(_ evidence: AlipayEvidence) { self.evidence = evidence }

    var notifications: [Notification] {
        guard let type = evidence.word("notify_type") else { return [notUnderstood] }
        guard type == "trade_status_sync" else {
            return [
                Notification(
                    id: EventIdentity.text("other", type, evidence.word("notify_id")),
                    kind: "other", status: type)
            ]
        }
        guard let trade = AlipayTrade(evidence) else { return [notUnderstood] }
        // In-store products of the classic gateway say in an action what happened.
        if let action = evidence.word("notify_action_type"), !Self.paying.contains(action) {
            return [notUnderstood]
        }
        return trade.notifications(identity: identity)
    }

    /// The actions that report a payment by its status.
    private static let paying = ["payByAccountAction", "closeTradeAction", "finishFPAction"]

    private var identity: [String?] {
        if let id = evidence.word("notify_id") { return [id] }
        return [
            evidence.word("trade_no"), evidence.word("notify_action_type"),
            evidence.word("trade_status"), evidence.word("notify_time"),
        ]
    }

    /// An authentic notification that cannot be acted on: its order needs a person.
    private var notUnderstood: Notification {
        .notUnderstood(
            kind: evidence.word("trade_status") == nil ? "unknown" : "payment",
            reference: evidence.word("out_trade_no"), transaction: evidence.word("trade_no"),
            effect: evidence.word("trade_status") == nil ? .none : .doubt,
            signed: evidence.form.text(withType: false))
    }
}

/// A trade as a notification or an answer reports it.
struct AlipayTrade {
    private let reference: String?
    let transaction: String
    let status: String
    /// The order's sum; coupons may have paid a part of it.
    private let total: Money?
    /// The sum refunded so far; nil where none is named.
    private let refunded: Money?
    /// The merchant's number of the latest refund.
    private let refundNumber: String?
    private let wasPaid: Bool
    private var paidAt: Timestamp?
    private var refundedAt: Timestamp?
    private var changedAt: Timestamp?

    init(
        reference: String?, transaction: String, status: String, total: Money?,
        refunded: Money? = nil, refundNumber: String? = nil, wasPaid: Bool
    ) {
        self.reference = reference
        self.transaction = transaction
        self.status = status
        self.total = total
        self.refunded = refunded
        self.refundNumber = refundNumber
        self.wasPaid = wasPaid
    }

    /// Nil where it names no trade, or a sum that cannot be read.
    init?(_ evidence: AlipayEvidence) {
        guard let transaction = evidence.word("trade_no"), evidence.word("out_trade_no") != nil,
            let status = evidence.word("trade_status"),
            let currency = evidence.currency,
            let total = evidence.money(
                evidence.product == .openPlatform ? "total_amount" : "total_fee", currency)
        else { return nil }
        var refunded: Money?
        if evidence.form["refund_fee"]?.isEmpty == false {
            guard let sum = evidence.money("refund_fee", currency) else { return nil }
            refunded = sum
        }
        // A refund of the classic gateway is not documented in enough detail.
        let isRefund = refunded != nil || evidence.form["refund_status"] != nil
        if isRefund, evidence.product == .classicGlobal { return nil }
        self.init(
            reference: evidence.word("out_trade_no"), transaction: transaction, status: status,
            total: total, refunded: refunded, refundNumber: evidence.word("out_biz_no"),
            wasPaid: evidence.word("gmt_payment") != nil)
        paidAt = evidence.time("gmt_payment")
        refundedAt = evidence.time("gmt_refund")
        changedAt = evidence.time("gmt_close") ?? evidence.time("notify_time")
    }

    /// Reads the answer to a query; nil where its sum or currency cannot be read.
    init?(answer: JSONValue) {
        let named = answer["trans_currency"]
        guard let transaction = answer["trade_no"]?.word, let status = answer["trade_status"]?.word,
            let currency = named == nil
                ? Alipay.yuan : named?.utf8.flatMap({ Currency(listed: $0.span) }),
            let total = answer["total_amount"]?.word.flatMap({
                Money(decimal: $0, currency: currency, allowingTrailingZeros: true)
            })
        else { return nil }
        let paid = answer["send_pay_date"]?.word
        self.init(
            reference: answer["out_trade_no"]?.word, transaction: transaction, status: status,
            total: total, wasPaid: paid != nil)
        paidAt = paid.flatMap(Alipay.time)
    }

    /// The payment, and a refund where one is reported.
    ///
    /// - Parameter identity: What distinguishes this report from others about the trade.
    func notifications(identity: [String?]) -> [Notification] {
        let isClosed = status == "TRADE_CLOSED"
        let hasRefund = refunded.map { $0.minor > 0 } ?? false
        var flags: [Flag] = []
        let effect: AttemptStatus
        switch status {
        case "TRADE_SUCCESS", "TRADE_FINISHED": effect = .paid
        case "WAIT_BUYER_PAY": effect = .pending
        case "TRADE_CLOSED": effect = hasRefund || wasPaid ? .paid : .expired
        default: (effect, flags) = (.pending, [.unknownStatus])
        }
        let payment = Notification(
            id: EventIdentity.text(["payment"] + identity), kind: "payment",
            status: flags.isEmpty ? effect.name : status,
            occurred: effect == .paid ? paidAt ?? changedAt : changedAt, reference: reference,
            transaction: transaction, effect: .attempt(effect, flags.isEmpty ? total : nil),
            flags: flags)
        guard effect == .paid, hasRefund || isClosed else { return [payment] }
        // A trade that was paid is closed by the refund of all of it.
        guard let sum = refunded ?? total else { return [payment] }
        let id = refundNumber ?? EventIdentity.text(transaction, sum.decimal)
        return [
            payment,
            Notification(
                id: EventIdentity.text(["refund"] + identity), kind: "refund",
                status: ActionStatus.succeeded.name, occurred: refundedAt ?? changedAt,
                reference: reference, transaction: transaction,
                effect: .refund(id: id, .succeeded, nil), refundedAtLeast: sum),
        ]
    }
}

extension AlipayEvidence {
    /// The currency of all sums; nil where an unknown one is named.
    fileprivate var currency: Currency? {
        let named = product == .openPlatform ? form["trans_currency"] : form["currency"]
        if named == nil, product == .openPlatform { return Alipay.yuan }
        return named.flatMap { Currency(listed: $0.span) }
    }

    fileprivate func money(_ name: StaticString, _ currency: Currency) -> Money? {
        word(name).flatMap {
            Money(decimal: $0, currency: currency, allowingTrailingZeros: true)
        }
    }

    fileprivate func time(_ name: StaticString) -> Timestamp? { word(name).flatMap(Alipay.time) }
}

extension Alipay {
    /// The currency of the open platform, unless a trade was priced in another one.
    static let yuan = Currency("CNY")!

    /// Reads `2019-08-15 15:56:24`, perhaps with a fraction: the time in China, eight hours before
    /// UTC.
    static func time(_ text: String) -> Timestamp? { Timestamp(iso8601: "\(text)+08:00") }

    /// Writes it.
    static func text(_ time: Timestamp) -> String {
        let local = Timestamp(microseconds: time.microseconds + 8 * 3_600_000_000)
        return String(local.wholeSeconds.rfc3339.dropLast()).replacing("T", with: " ")
    }
}

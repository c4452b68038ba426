import JSON
import Payments

/// The events of a notification of Midtrans, or of the answer to an inquiry, which has the same
/// members.
///
/// | `transaction_status` | `status_code` | effect |
/// |---|---|---|
/// | `pending` | any | pending |
/// | `capture`, `fraud_status` not `challenge`; `settlement` | 200 | paid |
/// | `capture`, `fraud_status` `challenge` | 200, 201 | authorized, for review by a person |
/// | `authorize` | 200 | authorized |
/// | `deny`, `failure` | any | failed |
/// | `cancel` | any | canceled |
/// | `expire` | any | expired |
/// | `partial_refund`, `refund` | 200 | a refund for each element of `refunds` |
/// | `partial_chargeback`, `chargeback` | 200 | charged back |
/// | one of these | another | a claim that the signed code contradicts |
///
/// `settlement` after `capture` is the same payment.
struct MidtransInterpretation {
    let root: JSONValue
    let body: [UInt8]

    private var status: String? { root["transaction_status"]?.word }
    private var transaction: String? { root["transaction_id"]?.word }
    private var reference: String? { root["order_id"]?.word }
    private var total: Money? { money(root["gross_amount"]) }

    var notifications: [Notification] {
        guard let status, let transaction, reference != nil else { return [notUnderstood] }
        let isChallenged = root["fraud_status"]?.word == "challenge"
        switch status {
        case "pending": return [attempt(.pending)]
        case "capture" where isChallenged:
            return hasCode(["200", "201"])
                ? [attempt(.authorized, flags: [.providerReview])] : [contradicted]
        case "authorize": return hasCode(["200"]) ? [attempt(.authorized)] : [contradicted]
        case "capture", "settlement": return hasCode(["200"]) ? [paid] : [contradicted]
        case "deny", "failure": return [attempt(.failed)]
        case "cancel": return [attempt(.canceled)]
        case "expire": return [attempt(.expired)]
        case "partial_refund", "refund":
            return hasCode(["200"]) ? refunds(transaction) : [contradicted]
        case "partial_chargeback", "chargeback":
            guard hasCode(["200"]) else { return [contradicted] }
            // The sum of a part is not documented.
            return [
                event(
                    "dispute", DisputeStatus.lost.name,
                    .dispute(id: transaction, .lost, status == "chargeback" ? total : nil))
            ]
        default: return [attempt(.pending, word: status, flags: [.unknownStatus])]
        }
    }

    /// The payment and its refunds, as an answer reports them: there, a refund says that the
    /// payment was paid before.
    var facts: [Notification] {
        guard let status, ["partial_refund", "refund"].contains(status) else {
            return notifications
        }
        return [paid] + notifications
    }

    // MARK: Events

    private var paid: Notification { total == nil ? notUnderstood : attempt(.paid) }

    private func attempt(
        _ attempt: AttemptStatus, word: String? = nil, flags: [Flag] = []
    ) -> Notification {
        guard attempt != .authorized || total != nil else { return notUnderstood }
        return event(
            "payment", word ?? attempt.name, .attempt(attempt, word == nil ? total : nil),
            flags: flags)
    }

    private func refunds(_ transaction: String) -> [Notification] {
        let soFar = money(root["refund_amount"])
        let listed = root["refunds"].map { Array($0.elements) } ?? []
        guard !listed.isEmpty else {
            guard let soFar else { return [notUnderstood] }
            // A replayed capture with two more words looks the same.
            let id = EventIdentity.text(transaction, soFar.decimal)
            var refund = event(
                "refund", ActionStatus.succeeded.name, .refund(id: id, .succeeded, nil),
                flags: [.unsignedClaim])
            refund.refundedAtLeast = soFar
            return [refund]
        }
        // The sum of the listed refunds, unless one is missing from the list.
        let sum = listed.reduce(0) { $0 + (money($1["refund_amount"])?.minor ?? 0) }
        let unlisted = soFar.flatMap { $0.minor > sum ? $0 : nil }
        return listed.map { element in
            guard let id = element["refund_chargeback_id"]?.wordOrNumber,
                let amount = money(element["refund_amount"])
            else { return notUnderstood }
            var refund = event(
                "refund", ActionStatus.succeeded.name, .refund(id: id, .succeeded, amount))
            refund.id = EventIdentity.text(
                ["refund", transaction, id] + (unlisted.map { [$0.decimal] } ?? []))
            refund.alias = element["refund_key"]?.word
            refund.occurred = element["created_at"].flatMap(Self.time)
            refund.refundedAtLeast = unlisted
            return refund
        }
    }

    private func event(
        _ kind: String, _ word: String, _ effect: Effect, flags: [Flag] = []
    ) -> Notification {
        var read = Notification(
            id: EventIdentity.text(
                kind, transaction, status, root["status_code"]?.word, root["fraud_status"]?.word),
            kind: kind, status: word, occurred: occurred, reference: reference,
            transaction: transaction, effect: effect, flags: flags)
        read.method = root["payment_type"]?.word
        return read
    }

    /// An authentic message that cannot be acted on: its order needs a person.
    private var notUnderstood: Notification {
        .notUnderstood(
            kind: "payment", reference: reference, transaction: transaction, effect: .doubt,
            signed: body)
    }

    /// A word that the signed code contradicts.
    private var contradicted: Notification {
        event("payment", status ?? "unknown", .doubt, flags: [.unsignedClaim])
    }

    // MARK: Values

    private func hasCode(_ codes: [String]) -> Bool {
        root["status_code"]?.word.map(codes.contains) ?? false
    }

    private var occurred: Timestamp? {
        (root["settlement_time"] ?? root["transaction_time"]).flatMap(Self.time)
    }

    /// A sum with two decimals. Without a currency, as for older payment methods, it is in rupiah.
    private func money(_ value: JSONValue?) -> Money? {
        let named = root["currency"]
        let currency =
            named == nil ? Currency("IDR") : named?.utf8.flatMap { Currency(listed: $0.span) }
        guard let currency, let text = value?.word else { return nil }
        return Money(decimal: text, currency: currency, allowingTrailingZeros: true)
    }

    /// The time in Jakarta, seven hours before UTC, without a zone.
    private static func time(_ value: JSONValue) -> Timestamp? {
        value.word.flatMap { Timestamp(iso8601: "\($0)+07:00") }
    }

    /// Writes it.
    static func text(_ time: Timestamp) -> String {
        let local = Timestamp(microseconds: time.microseconds + 7 * 3_600_000_000)
        return String(local.wholeSeconds.rfc3339.dropLast()).replacing("T", with: " ")
    }
}

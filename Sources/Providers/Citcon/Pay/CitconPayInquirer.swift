import Bytes
import JSON
import Payments

/// Asks Citcon Pay: `POST /payment/inquire`, a form, with the token that also signs notifications.
///
/// Nothing is signed in either direction: the MD5 rule applies to notifications only. An unknown
/// payment and an unpaid one look alike, so an answer without an id is about no payment.
package struct CitconPayInquirer: Inquirer {
    private let token: String
    private let vendor: String?

    /// - Throws: ``SettingsError`` if the endpoint's first secret is not valid in a header.
    package init(settings: EndpointSettings) throws(SettingsError) {
        let secrets = try settings.requiredSecrets()
        token = try settings.headerText(
            "token", secrets.first.map { String(decoding: $0, as: UTF8.self) })
        vendor = settings[CitconPay.vendor]
    }

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        guard let exchange = conversation.exchanges.last else {
            return .ask(try request(conversation.question))
        }
        do throws(NoAnswer) {
            let fact = try CitconPayAnswer(exchange.answer, to: conversation.question).fact
            return .found(
                InquiryFinding(
                    [InquiryFact(notification: fact, exchange: 0, key: "tls")], trust: .tls))
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    /// Builds the request. For a question by reference the official SDK also sends currency and
    /// vendor; they are sent if known.
    private func request(_ question: InquiryQuestion) throws(InquiryError) -> InquiryRequest {
        var fields: [(String, String)]
        switch (question.subject, question.name) {
        case (.payment, .transaction): fields = [("transaction_id", question.value)]
        case (.payment, .reference):
            fields = [("reference", question.value)]
            if let currency = question.currency { fields.append(("currency", currency.code)) }
            if let vendor { fields.append(("vendor", vendor)) }
        default: throw .unsupported(question)
        }
        // Asks the underlying wallet too.
        fields.append(("inquire_method", "real"))
        let body = fields.map { "\($0)=\(PercentEncoding.encode(Array($1.utf8)))" }
        return InquiryRequest(
            method: "POST", target: "/payment/inquire",
            headers: [
                Header("content-type", "application/x-www-form-urlencoded"),
                Header("authorization", "Bearer \(token)"),
            ],
            body: Array(body.joined(separator: "&").utf8))
    }
}

/// Citcon Pay's answer: JSON without an envelope, authenticated only by TLS.
struct CitconPayAnswer {
    private let root: JSONValue
    private let id: String

    /// - Throws: ``NoAnswer`` for an answer that reports nothing about the payment.
    init(_ answer: InquiryAnswer, to question: InquiryQuestion) throws(NoAnswer) {
        let isEmpty = answer.body.trimmingWhiteSpace.isEmpty
        let root = try JSONDocument.parse(answer: isEmpty ? Array("{}".utf8) : answer.body)
        switch answer.status {
        case 200: break
        case 401, 403: throw .status(.denied, .tls, answer.status)
        default: throw .status(.retry, .tls, answer.status)
        }
        // `{}`, `[]` and an empty body were seen as answers about unknown payments.
        guard root.kind == .object || root.elements.map(\.self).isEmpty else {
            throw .unreadable(.tls, "answer_not_object", "the answer is JSON, but no object")
        }
        guard let member = root["id"], !Self.isNothing(member) else { throw .absent(.tls) }
        guard let id = member.wordOrNumber, ["charge", nil].contains(root["type"]?.string) else {
            throw .unreadable(.tls, "charge_missing", "the answer holds no charge")
        }
        let isByID = question.name == .transaction
        guard (isByID ? id : root["reference"]?.word) == question.value else {
            throw .mismatch(isByID ? "transaction" : "reference", .tls)
        }
        self.root = root
        self.id = id
    }

    var fact: Notification {
        get throws(NoAnswer) {
            let word = root["status"]?.string ?? ""
            let attempt: AttemptStatus
            var flags: [Flag] = []
            switch word {
            case "success": attempt = .paid
            case "fail", "failed": attempt = .failed
            case "cancel", "canceled", "cancelled": attempt = .canceled
            // A form carries a missing status as "NULL".
            case "", "NULL", "null", "pending", "initiated": attempt = .pending
            case "authorized": attempt = .authorized
            default:
                attempt = .pending
                flags = [.unknownStatus]
            }
            guard attempt != .paid || amount != nil else {
                throw .unreadable(
                    .tls, "amount_missing", "paid, without a readable amount and currency")
            }
            let status = flags.isEmpty || !word.isWord ? attempt.name : word
            return try .fact(
                Notification(
                    id: "", kind: "payment", status: status,
                    occurred: root["time"]?.string.flatMap { Timestamp(iso8601: $0) },
                    reference: root["reference"]?.word, transaction: id,
                    effect: .attempt(attempt, flags.isEmpty ? amount : nil),
                    refundedAtLeast: attempt == .paid ? refundedAtLeast : nil,
                    reason: attempt.isUnpaidEnd ? reason : nil, method: method, flags: flags),
                identity: [
                    "charge", id, status, Self.text(root["refund_status"]),
                    Self.text(root["refunded_amount"]),
                ], .tls)
        }
    }

    /// The least sum that was refunded. It is a bound, because neither form has an id, and it is
    /// not documented whether `refunded_amount` is a total or one refund. A refund without a
    /// readable amount counts as one minor unit.
    private var refundedAtLeast: Money? {
        let digits = Self.text(root["refunded_amount"]) ?? ""
        let isRefunded = ["success", "refunded", "partial"].contains(
            root["refund_status"]?.string ?? "")
        guard isRefunded || !["", "0", "NULL", "null"].contains(digits) else { return nil }
        return money("refunded_amount").flatMap { $0.minor > 0 ? $0 : nil }
            ?? amount.map { Money(minor: 1, currency: $0.currency) }
    }

    private var amount: Money? { money("amount") }

    /// The failure of a charge, from the fields that the SDK reads: `code`, `message`.
    private var reason: Reason? {
        Reason(code: root["code"]?.wordOrNumber, message: root["message"]?.string)
    }

    /// The wallet, under the name that an inquiry uses for it.
    private var method: String? { root["vendor"]?.word }

    /// Whether it is JSON's null, or a text for a missing value.
    private static func isNothing(_ value: JSONValue) -> Bool {
        value.isNull || ["", "NULL", "null"].contains(value.string)
    }

    private static func text(_ value: JSONValue?) -> String? { value?.lexeme ?? value?.string }

    /// An integer in the smallest unit, as a number or text.
    private func money(_ name: StaticString) -> Money? {
        guard let digits = Self.text(root[name]),
            let currency = root["currency"]?.string.flatMap({ Currency(listed: $0) })
        else { return nil }
        return Money(minorDigits: digits, currency: currency)
    }
}

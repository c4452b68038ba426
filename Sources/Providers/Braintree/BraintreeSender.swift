import Bytes
import Payments

/// Braintree's part: XML in Base64 in a form, signed with the first API key.
package struct BraintreeSender: Sender {
    private let pair: Braintree.KeyPair

    /// - Throws: ``SettingsError`` without an API key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        pair = try Braintree.pairs(settings)[0]
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        _ = try event.digits()
        let payload = Self.lines(Base64.encode(Array(try xml(event).utf8)))
        let signature = pair.publicKey + Array("|".utf8) + pair.signature(payload)
        let fields = [("bt_signature", signature), ("bt_payload", payload)]
        let body = fields.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        return OutboundRequest(
            target: path,
            headers: [Header("content-type", "application/x-www-form-urlencoded")],
            body: Array(body.utf8))
    }

    package func absence(of type: EventType) -> String? {
        switch type {
        case .captured, .captureFailed:
            "Braintree reports nothing of captures: your shop gets the answer"
        case .refundPending: "Braintree reports a refund when it is settled, or has failed"
        case .reversed: "Braintree reverses only local payments without a transaction"
        case .tryFailed: "Braintree reports a transaction that failed, and no single try"
        default: nil
        }
    }

    /// Any 2xx, within 30 seconds (documented).
    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        (200..<300).contains(status)
            ? .accepted : .sendsAgain("status \(status), Braintree asks for 2xx")
    }

    /// Documented: hourly for 24 hours.
    package let publishedRetrySchedule = Array(repeating: Duration.hours(1), count: 24)

    // MARK: XML

    /// Lines of 60 characters, each with a line feed, as Ruby writes Base64.
    private static func lines(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count, by: 60).flatMap {
            digits[$0..<min($0 + 60, digits.count)] + [0x0A]
        }
    }

    private func xml(_ event: SampleEvent) throws(SenderError) -> String {
        let (kind, subject) = try subject(event)
        return """
            <notification>
              <timestamp type="datetime">\(event.occurred.wholeSeconds.rfc3339)</timestamp>
              <kind>\(kind)</kind>
              <subject>
                \(subject)
              </subject>
            </notification>

            """
    }

    private func subject(
        _ event: SampleEvent
    ) throws(SenderError) -> (kind: String, subject: String) {
        if let dispute = Self.dispute(event), let words = Self.disputeWords(event.type) {
            return (words.kind, dispute)
        }
        // Of no order, but the official libraries read no transaction without a sum.
        let words = event.type == .ignored ? Words("settled", .sale) : Self.words(event.type)
        guard let words else { throw .unsupported(event.type) }
        let transaction = Self.transaction(event, words)
        return switch event.type {
        case .ignored: ("transaction_disbursed", transaction)
        case .failed: ("transaction_settlement_declined", transaction)
        case .refundFailed: ("refund_failed", transaction)
        case .pending: ("local_payment_completed", localPayment(event, transaction))
        case .authorized, .canceled, .expired:
            ("local_payment_funded", localPayment(event, transaction))
        default: ("transaction_settled", transaction)
        }
    }

    /// The status and the type of a transaction.
    struct Words {
        enum Kind: String { case sale, credit }

        let status: String
        let type: Kind

        init(_ status: String, _ type: Kind) {
            self.status = status
            self.type = type
        }
    }

    /// The words of a payment or a refund; nil for what is neither, and for what Braintree does not
    /// know.
    static func words(_ type: EventType) -> Words? {
        switch type {
        case .paid: Words("settled", .sale)
        case .pending: Words("authorizing", .sale)
        case .authorized: Words("authorized", .sale)
        case .failed: Words("settlement_declined", .sale)
        case .canceled: Words("voided", .sale)
        case .expired: Words("authorization_expired", .sale)
        case .refunded: Words("settled", .credit)
        case .refundFailed: Words("processor_declined", .credit)
        default: nil
        }
    }

    /// - Parameter more: Further elements.
    static func transaction(_ event: SampleEvent, _ words: Words, _ more: String = "") -> String {
        let isRefund = words.type == .credit
        let parent =
            "<refunded-transaction-id>\(escaped(event.transaction))</refunded-transaction-id>"
        return """
            <transaction>
              <id>\(escaped(isRefund ? event.actionID : event.transaction))</id>
              <status>\(words.status)</status>
              <type>\(words.type)</type>
              <currency-iso-code>\(event.money.currency.code)</currency-iso-code>
              <amount>\(event.money.decimal)</amount>
              <order-id>\(escaped(event.reference))</order-id>
              <updated-at type="datetime">\(event.occurred.wholeSeconds.rfc3339)</updated-at>
              \(isRefund ? parent : "")\(more)
            </transaction>
            """
    }

    private func localPayment(_ event: SampleEvent, _ transaction: String) -> String {
        """
        <local-payment>
          <payment-id>PAYID-\(Self.escaped(event.transaction))</payment-id>
          \(transaction)
        </local-payment>
        """
    }

    private static func disputeWords(
        _ type: EventType
    ) -> (kind: String, status: String, type: String)? {
        switch type {
        case .disputed: ("dispute_opened", "open", "chargeback")
        case .disputeClosed: ("dispute_expired", "expired", "retrieval")
        case .disputeWon: ("dispute_won", "won", "chargeback")
        case .chargedBack: ("dispute_lost", "lost", "chargeback")
        default: nil
        }
    }

    /// Nil for what is no dispute.
    static func dispute(_ event: SampleEvent) -> String? {
        disputeWords(event.type).map { words in
            """
            <dispute>
              <id>\(escaped(event.actionID))</id>
              <amount-disputed>\(event.money.decimal)</amount-disputed>
              <currency-iso-code>\(event.money.currency.code)</currency-iso-code>
              <kind>\(words.type)</kind>
              <status>\(words.status)</status>
              <transaction>
                <id>\(escaped(event.transaction))</id>
                <order-id>\(escaped(event.reference))</order-id>
              </transaction>
            </dispute>
            """
        }
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
    }
}

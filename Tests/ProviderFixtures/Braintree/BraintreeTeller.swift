import Payments

@testable import Providers

/// Braintree: payments by debit, and by local methods, whose messages have an id of their own
/// beside the transaction's. A dispute is opened, perhaps reviewed, and ends.
package struct BraintreeTeller: Teller {
    package static let abilities: Abilities = [
        .failedRefunds, .disputes, .openDisputes, .secondPayments,
    ]
    package static let troubles: Abilities = []
    package let isUnclear = false

    private let reference: String
    private let neighbour: String
    private let namesOrder: Bool
    private let isLocal: Bool

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        neighbour = life.neighbour
        namesOrder = generator.once(in: 2)
        isLocal = generator.once(in: 2)
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, .paid, let amount) where !isLocal:
            return told(
                number, "transaction_settled", transaction(id, "settled", "sale", amount))
        case .attempt(let id, let status, let amount):
            let word =
                switch status {
                case .paid: "settled"
                case .pending: "settling"
                default: "processor_declined"
                }
            return told(
                number, "local_payment_funded",
                "<local-payment-funded><payment-id>PAYID-\(id)</payment-id>"
                    + transaction(id, word, "sale", amount) + "</local-payment-funded>")
        case .refund(let id, let parent, let status, let amount):
            // A refund that waits is not reported.
            guard status != .pending else { return [] }
            let kind = status == .succeeded ? "transaction_settled" : "refund_failed"
            return told(
                number, kind,
                transaction(
                    id, "settled", "credit", amount,
                    "<refunded-transaction-id>\(parent)</refunded-transaction-id>"))
        case .dispute(let id, let parent, let status, let amount):
            let (kind, type) =
                switch status {
                case .open: ("dispute_opened", "chargeback")
                case .lost: ("dispute_lost", "chargeback")
                case .won: ("dispute_won", "chargeback")
                case .closed: ("dispute_expired", "retrieval")
                }
            let order = namesOrder ? "<order-id>\(reference)</order-id>" : ""
            return told(
                number, kind,
                """
                <dispute><id>\(id)</id><amount>99.00</amount>
                <amount-disputed>\(Self.decimal(amount))</amount-disputed>
                <currency-iso-code>EUR</currency-iso-code><kind>\(type)</kind>
                <transaction><id>\(parent)</id>\(order)</transaction></dispute>
                """)
        default: return []
        }
    }

    private func transaction(
        _ id: String, _ status: String, _ type: String, _ amount: Int64, _ more: String = ""
    ) -> String {
        // An operation's order id may be any reference of the merchant's.
        let order = type == "credit" && namesOrder ? neighbour : reference
        return """
            <transaction><id>\(id)</id><status>\(status)</status><type>\(type)</type>
            <amount>\(Self.decimal(amount))</amount><order-id>\(order)</order-id>\(more)
            </transaction>
            """
    }

    private func told(_ number: Int, _ kind: String, _ subject: String) -> [Notification] {
        let bytes = Array(
            """
            <notification><timestamp type="datetime">2026-09-21T14:00:\(10 + number)Z</timestamp>
            <kind>\(kind)</kind><subject>\(subject)</subject></notification>
            """.utf8)
        guard let root = BraintreeXML.parse(bytes) else { return [] }
        return [
            BraintreeInterpretation(
                root: root, signed: bytes, currency: Money.sampleCurrency
            ).notification
        ]
    }

    private static func decimal(_ minor: Int64) -> String {
        Money(minor: minor, currency: Money.sampleCurrency).decimal
    }
}

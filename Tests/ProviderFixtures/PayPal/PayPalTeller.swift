import Payments

@testable import Providers

/// PayPal: operations point at their payment by a link or by `sale_id`, and repeat its reference,
/// have one of their own, or none. A lost dispute may come with a reversal, which tells the same
/// story.
package struct PayPalTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .voids, .disputes, .openDisputes, .failedRefunds, .secondPayments,
    ]
    package static let troubles: Abilities = [.retries]
    package let isUnclear = false

    private enum Naming: CaseIterable { case payments, own, none }
    private let reference: String
    private let naming: Naming
    /// Whether it is told by the Payments v1 API.
    private let isOld: Bool
    /// Whether events come twice, with another id for the transmission and the same for the event.
    private let repeats: Bool

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        naming = generator.pick(Naming.allCases)
        let isAuthorized = life.facts.contains {
            if case .attempt(_, .authorized, _) = $0 { true } else { false }
        }
        isOld = !isAuthorized && generator.once(in: 3)
        repeats = generator.once(in: 3)
    }

    package func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            let verb =
                switch status {
                case .authorized: "CREATED"
                case .paid: "COMPLETED"
                case .pending: "PENDING"
                default: "DENIED"
                }
            let subject = status == .authorized ? "AUTHORIZATION" : isOld ? "SALE" : "CAPTURE"
            return told(
                "PAYMENT.\(subject).\(verb)", number,
                [("id", .text(id)), ("amount", money(amount)), own(reference)])
        case .capture(let id, let payment, let status, let amount):
            return told(
                "PAYMENT.CAPTURE.\(status == .succeeded ? "COMPLETED" : "DECLINED")", number,
                operation(id, amount, of: "authorizations/\(payment)"))
        case .refund(let id, let parent, let status, let amount):
            return refund(id, parent, status, amount, number)
        case .void(_, let payment, let amount):
            return told(
                "PAYMENT.AUTHORIZATION.VOIDED", number,
                [("id", .text(payment)), ("amount", money(amount)), own(reference)])
        case .dispute(let id, let parent, let status, let amount):
            return dispute(id, parent, status, amount, number)
        case .refundReversal, .disputeReversal, .raise, .cancel: return []
        }
    }

    private func refund(
        _ id: String, _ parent: String, _ status: ActionStatus, _ amount: Int64, _ number: Int
    ) -> [Notification] {
        let word =
            switch status {
            case .succeeded: "COMPLETED"
            case .pending: "PENDING"
            case .failed: "FAILED"
            }
        guard isOld else {
            return told(
                "PAYMENT.CAPTURE.REFUNDED", number,
                operation(id, amount, of: "captures/\(parent)") + [("status", .text(word))])
        }
        let sum = Money(minor: -amount, currency: Money.sampleCurrency).decimal
        return told(
            "PAYMENT.SALE.REFUNDED", number,
            [
                ("id", .text(id)), ("sale_id", .text(parent)),
                ("state", .text(word.lowercased())),
                ("amount", .object([("total", .text(sum)), ("currency", .text("EUR"))])),
            ])
    }

    private func dispute(
        _ id: String, _ parent: String, _ status: DisputeStatus, _ amount: Int64, _ number: Int
    ) -> [Notification] {
        let outcome =
            switch status {
            case .open: "NONE"
            case .won: "RESOLVED_SELLER_FAVOUR"
            case .lost: "RESOLVED_BUYER_FAVOUR"
            case .closed: "CANCELED_BY_BUYER"
            }
        return told(
            "CUSTOMER.DISPUTE.\(status == .open ? "CREATED" : "RESOLVED")", number,
            [
                ("dispute_id", .text(id)), ("dispute_amount", money(amount)),
                (
                    "disputed_transactions",
                    .list([
                        .object([
                            ("seller_transaction_id", .text(parent)),
                            ("custom", .text(reference)),
                        ])
                    ])
                ), ("dispute_outcome", .object([("outcome_code", .text(outcome))])),
            ])
    }

    /// The members of an operation in v2, with its link to what it is about.
    private func operation(_ id: String, _ amount: Int64, of parent: String) -> [(String, Body)] {
        let name: [(String, Body)] =
            switch naming {
            case .payments: [own(reference)]
            case .own: [own("own-\(id)")]
            case .none: []
            }
        let link = Body.object([
            ("href", .text("https://api.paypal.com/v2/payments/\(parent)")), ("rel", .text("up")),
        ])
        return [("id", .text(id)), ("amount", money(amount)), ("links", .list([link]))] + name
    }

    private func own(_ reference: String) -> (String, Body) {
        (isOld ? "custom" : "custom_id", .text(reference))
    }

    private func money(_ amount: Int64) -> Body {
        let text = Money(minor: amount, currency: Money.sampleCurrency).decimal
        return isOld
            ? .object([("total", .text(text)), ("currency", .text("EUR"))])
            : .object([("currency_code", .text("EUR")), ("value", .text(text))])
    }

    private func told(
        _ type: String, _ number: Int, _ resource: [(String, Body)]
    ) -> [Notification] {
        let body = Body.object([
            ("id", .text("WH-\(reference)-\(number)")), ("event_type", .text(type)),
            ("create_time", .text("2026-01-01T00:00:\(10 + number % 40)Z")),
            ("resource", .object(resource)),
        ])
        let read = PayPalInterpretation.notification(
            PayPalEvidence(body: body.bytes), reference: [.custom_id, .invoice_id], mode: .live)
        return Array(repeating: read, count: repeats ? 2 : 1)
    }
}

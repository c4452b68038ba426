import JSON
import Payments

@testable import Providers

/// Midtrans: an attempt is a transaction of its own; a card is captured and settled later. Each
/// notification of a refund lists all refunds so far, and comes again when the bank confirms it.
package struct MidtransTeller: Teller {
    package static let abilities: Abilities = [.disputes, .secondPayments]
    package static let troubles: Abilities = [.cancels]
    package let isUnclear = false

    private let reference: String
    private let isCard: Bool
    private let confirms: Bool
    private var totals: [String: Int64] = [:]
    private var refunds: [String: [(id: String, amount: Int64)]] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        isCard = generator.once(in: 2)
        confirms = generator.once(in: 2)
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            totals[id] = amount
            switch status {
            case .pending: return told(id, "pending", "201")
            case .failed: return told(id, "deny", "202")
            case .paid where isCard:
                return told(id, "capture", "200") + told(id, "settlement", "200")
            case .paid: return told(id, "settlement", "200")
            default: return []
            }
        case .refund(let id, let parent, .succeeded, let amount):
            refunds[parent, default: []].append((id, amount))
            let sum = refunds[parent]?.reduce(0) { $0 + $1.amount } ?? 0
            let word = sum < totals[parent] ?? 0 ? "partial_refund" : "refund"
            let first = told(parent, word, "200")
            return confirms ? first + told(parent, word, "200", isConfirmed: true) : first
        case .dispute(_, let parent, _, _): return told(parent, "chargeback", "200")
        case .cancel(_, let payment, _, _): return told(payment, "cancel", "200")
        default: return []
        }
    }

    private func told(
        _ id: String, _ status: String, _ code: String, isConfirmed: Bool = false
    ) -> [Notification] {
        var members: [(String, Body)] = [
            ("transaction_status", .text(status)), ("transaction_id", .text(id)),
            ("status_code", .text(code)), ("order_id", .text(reference)),
            ("gross_amount", .text(Self.decimal(totals[id] ?? 0))), ("currency", .text("EUR")),
            ("fraud_status", .text("accept")),
        ]
        if status.hasSuffix("refund"), let refunds = refunds[id] {
            let sum = refunds.reduce(0) { $0 + $1.amount }
            members.append(("refund_amount", .text(Self.decimal(sum))))
            let list = refunds.map { refund in
                var members: [(String, Body)] = [
                    ("refund_chargeback_id", .text(refund.id)),
                    ("refund_amount", .text(Self.decimal(refund.amount))),
                    ("refund_key", .text("K-\(refund.id)")),
                ]
                if isConfirmed {
                    members.append(("bank_confirmed_at", .text("2026-03-10 09:00:00")))
                }
                return Body.object(members)
            }
            members.append(("refunds", .list(list)))
        }
        let body = Body.object(members).bytes
        guard let root = try? JSONDocument(parsing: body).root else { return [] }
        return MidtransInterpretation(root: root, body: body).notifications
    }

    private static func decimal(_ minor: Int64) -> String {
        Money(minor: minor, currency: Money.sampleCurrency).decimal
    }
}

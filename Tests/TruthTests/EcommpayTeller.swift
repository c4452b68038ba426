import JSON
import Payments

@testable import Providers

/// ecommpay: everything names the payment by the merchant's own id; operations have ids of their
/// own.
struct EcommpayTeller: Teller {
    static let abilities: Abilities = [
        .captures, .voids, .refundReversals, .disputes, .failedRefunds,
    ]
    let isUnclear = false

    private let reference: String
    /// The merchant chose whether callbacks carry the payment's status.
    private let tellsPaymentStatus: Bool
    private let voidsByCancel: Bool
    private let authorizations: Set<String>

    init(_ life: Life, using generator: inout SeededGenerator) {
        reference = life.reference
        tellsPaymentStatus = generator.once(in: 2)
        voidsByCancel = generator.once(in: 2)
        authorizations = Set(
            life.facts.compactMap {
                if case .attempt(let id, .authorized, _) = $0 { id } else { nil }
            })
    }

    mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            switch status {
            case .paid: return [told(id, "sale", "success", "success", amount)]
            case .authorized: return [told(id, "auth", "success", "awaiting capture", amount)]
            case .pending:
                let type = authorizations.contains(id) ? "auth" : "sale"
                return [told(id, type, "processing", "processing", amount)]
            default: return [told(id, "sale", "decline", "decline", amount)]
            }
        case .capture(let id, _, let status, let amount):
            return [
                told(
                    id, "capture", status == .succeeded ? "success" : "decline",
                    status == .succeeded ? "success" : "awaiting capture", amount)
            ]
        case .refund(let id, _, let status, let amount):
            let word =
                status == .succeeded ? "success" : status == .failed ? "decline" : "processing"
            return [told(id, "refund", word, "partially refunded", amount)]
        case .void(let id, _, let amount):
            return [
                told(id, voidsByCancel ? "cancel" : "reversal", "success", "canceled", amount)
            ]
        case .refundReversal(let id, _, let amount):
            return [told(id, "refund reverse", "success", "success", amount)]
        case .dispute(let id, _, _, let amount):
            return [told(id, "chargeback", "success", "success", amount)]
        case .disputeReversal: return []
        }
    }

    private func told(
        _ id: String, _ type: String, _ status: String, _ payment: String, _ amount: Int64
    ) -> Notification {
        let sum = Body.object([("amount", .number(amount)), ("currency", .text("EUR"))])
        var about: [(String, Body)] = [("id", .text(reference)), ("type", .text("purchase"))]
        if tellsPaymentStatus { about.append(("status", .text(payment))) }
        let body = Body.object([
            ("project_id", .number(1)), ("payment", .object(about)),
            (
                "operation",
                .object([
                    ("id", .text(id)), ("type", .text(type)), ("status", .text(status)),
                    ("sum_initial", sum),
                ])
            ),
        ])
        guard let root = try? JSONDocument(parsing: body.bytes).root,
            let leaves = try? EcommpayLeaves(of: root)
        else { fatalError("no leaves of \(body.description)") }
        return EcommpayReading(leaves: leaves).notification
    }
}

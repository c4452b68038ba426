import JSON
import Payments

@testable import Providers

/// ecommpay: everything names the payment by the merchant's own id; operations have their own ids.
package struct EcommpayTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .voids, .refundReversals, .disputes, .disputeReversals, .failedRefunds,
        .secondPayments, .raises,
    ]
    package static let troubles: Abilities = []
    /// With two authorisations, a release is ambiguous: no operation names another.
    package let isUnclear: Bool

    private let reference: String
    /// Whether the merchant chose callbacks with the payment's status.
    private let tellsPaymentStatus: Bool
    private let voidsByCancel: Bool
    /// Whether there are also callbacks without an operation, about the payment alone.
    private let tellsPayments: Bool
    private let authorizations: Set<String>
    private let total: Int64

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        tellsPaymentStatus = generator.once(in: 2)
        voidsByCancel = generator.once(in: 2)
        let hasVoid = life.facts.contains { if case .void = $0 { true } else { false } }
        isUnclear = hasVoid && life.liveAttempts.count > 1
        // The content of such a callback for two payments in one is not documented.
        tellsPayments = life.liveAttempts.count < 2 && generator.once(in: 3)
        total = life.total
        authorizations = Set(
            life.facts.compactMap {
                if case .attempt(let id, .authorized, _) = $0 { id } else { nil }
            })
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            let type = authorizations.contains(id) ? "auth" : "sale"
            switch status {
            case .paid: return told(id, type, "success", "success", amount) + payment("success")
            case .authorized:
                return told(id, type, "success", "awaiting capture", amount)
                    + payment("awaiting capture")
            case .pending:
                return told(id, type, "processing", "processing", amount) + payment("processing")
            default: return told(id, type, "decline", "decline", amount) + payment("decline")
            }
        case .capture(let id, _, let status, let amount):
            let word = status == .succeeded ? "success" : "decline"
            let payments = status == .succeeded ? "success" : "awaiting capture"
            return told(id, "capture", word, payments, amount) + payment(payments)
        case .refund(let id, _, let status, let amount):
            let word =
                status == .succeeded ? "success" : status == .failed ? "decline" : "processing"
            return told(id, "refund", word, "partially refunded", amount)
        case .void(let id, _, let amount):
            return told(id, voidsByCancel ? "cancel" : "reversal", "success", "canceled", amount)
        case .refundReversal(let id, _, let amount):
            return told(id, "refund reverse", "success", "success", amount)
        case .dispute(let id, _, _, let amount):
            return told(id, "chargeback", "success", "success", amount)
        case .disputeReversal(let id, _, _, let amount):
            return told(id, "chargeback reversal", "success", "success", amount)
        case .raise(let id, _, let added, _):
            return told(id, "incremental", "success", "awaiting capture", added)
        case .cancel: return []
        }
    }

    /// The answer lists every operation with its last status, and the payment's own status covers
    /// them all.
    package func answer(_ life: Life, _ truth: Truth) -> [Notification] {
        var operations: [(id: String, json: String)] = []
        for fact in life.facts {
            guard let (id, type, status, amount) = operation(fact) else { continue }
            let json =
                "{\"id\":\"\(id)\",\"type\":\"\(type)\",\"status\":\"\(status)\","
                + "\"sum_initial\":\(sum(amount).description)}"
            operations.removeAll { $0.id == id }
            operations.append((id, json))
        }
        let status =
            switch truth.status {
            case .authorized: "awaiting capture"
            case .pending: "processing"
            case .failed: "decline"
            case .canceled: "canceled"
            case .refunded: "refunded"
            case .partiallyRefunded: "partially refunded"
            default: "success"
            }
        let body =
            "{\"payment\":{\"id\":\"\(reference)\",\"type\":\"purchase\",\"status\":\"\(status)\"},"
            + "\"operations\":[\(operations.map(\.json).joined(separator: ","))]}"
        guard let root = try? JSONDocument(parsing: Array(body.utf8)).root,
            let answer = try? EcommpayAnswer(
                root, status: 200, to: InquiryQuestion(by: .reference, reference), .tls, 1),
            let facts = try? answer.facts
        else { fatalError("no answer: \(body)") }
        return facts
    }

    private func operation(_ fact: Fact) -> (id: String, type: String, status: String, Int64)? {
        switch fact {
        case .attempt(let id, let status, let amount):
            let type = authorizations.contains(id) ? "auth" : "sale"
            let isGood = status == .paid || status == .authorized
            return (
                id, type, isGood ? "success" : status == .pending ? "processing" : "decline", amount
            )
        case .capture(let id, _, let status, let amount):
            return (id, "capture", status == .succeeded ? "success" : "decline", amount)
        case .refund(let id, _, let status, let amount):
            let word =
                status == .succeeded ? "success" : status == .failed ? "decline" : "processing"
            return (id, "refund", word, amount)
        case .void(let id, _, let amount):
            return (id, voidsByCancel ? "cancel" : "reversal", "success", amount)
        case .refundReversal(let id, _, let amount):
            return (id, "refund reverse", "success", amount)
        case .dispute(let id, _, _, let amount): return (id, "chargeback", "success", amount)
        case .disputeReversal(let id, _, _, let amount):
            return (id, "chargeback reversal", "success", amount)
        case .raise(let id, _, let added, _): return (id, "incremental", "success", added)
        case .cancel: return nil
        }
    }

    private func told(
        _ id: String, _ type: String, _ status: String, _ payment: String, _ amount: Int64
    ) -> [Notification] {
        var about: [(String, Body)] = [("id", .text(reference)), ("type", .text("purchase"))]
        if tellsPaymentStatus { about.append(("status", .text(payment))) }
        return [
            read([
                ("payment", .object(about)),
                (
                    "operation",
                    .object([
                        ("id", .text(id)), ("type", .text(type)), ("status", .text(status)),
                        ("sum_initial", sum(amount)),
                    ])
                ),
            ])
        ]
    }

    /// The callback without an operation.
    private func payment(_ status: String) -> [Notification] {
        guard tellsPayments else { return [] }
        let about: [(String, Body)] = [
            ("id", .text(reference)), ("type", .text("purchase")), ("status", .text(status)),
            ("sum", sum(total)),
        ]
        return [read([("payment", .object(about))])]
    }

    private func sum(_ amount: Int64) -> Body {
        .object([("amount", .number(amount)), ("currency", .text("EUR"))])
    }

    private func read(_ members: [(String, Body)]) -> Notification {
        let body = Body.object([("project_id", .number(1))] + members)
        guard let root = try? JSONDocument(parsing: body.bytes).root,
            let leaves = try? EcommpayLeaves(of: root)
        else { fatalError("no leaves of \(body.description)") }
        return EcommpayInterpretation(leaves: leaves).notification
    }
}

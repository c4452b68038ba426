import JSON
import Payments

@testable import Providers

/// Mollie: signed events about single entities, or after each of them the whole payment, as it is
/// fetched for a classic call. Captures, refunds and chargebacks name the payment.
package struct MollieTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .failedRefunds, .disputes, .disputeReversals, .secondPayments,
    ]
    package static let troubles: Abilities = []
    package let isUnclear = false

    private let reading = try? MollieReading(EndpointSettings(name: "mollie"))
    private let reference: String
    private let isFetched: Bool
    private var payments: [String: Payment] = [:]
    /// Payments of captures, which refunds and chargebacks do not name.
    private var owners: [String: String] = [:]

    /// A payment as Mollie keeps it.
    private struct Payment {
        var status: String
        var amount: Int64
        var captured: Int64?
        /// Captures, refunds and chargebacks by their id.
        var operations: [(list: String, id: String, status: String, amount: Int64)] = []
    }

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        isFetched = generator.once(in: 2)
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            let word = status == .pending ? "pending" : status.name
            payments[id] = Payment(status: word, amount: amount)
            return told("payment", id, word, number, of: id, amount)
        case .capture(let id, let payment, let status, let amount):
            owners[id] = payment
            if status == .succeeded {
                payments[payment]?.status = "paid"
                let before = payments[payment]?.captured ?? 0
                payments[payment]?.captured = before + amount
            }
            let word = status == .succeeded ? "succeeded" : "failed"
            return operation("capture", id, word, number, of: payment, amount)
        case .refund(let id, let parent, let status, let amount):
            let word =
                switch status {
                case .succeeded: "refunded"
                case .pending: "processing"
                case .failed: "failed"
                }
            return operation("refund", id, word, number, of: owners[parent] ?? parent, amount)
        case .dispute(let id, let parent, _, let amount):
            return operation(
                "chargeback", id, "received", number, of: owners[parent] ?? parent, amount)
        case .disputeReversal(_, let dispute, _, let amount):
            let owner = payments.first { $0.value.operations.contains { $0.id == dispute } }
            return operation(
                "chargeback", dispute, "reversed", number, of: owner?.key ?? "", amount)
        case .void, .refundReversal, .raise, .cancel: return []
        }
    }

    private mutating func operation(
        _ kind: String, _ id: String, _ word: String, _ number: Int, of payment: String,
        _ amount: Int64
    ) -> [Notification] {
        payments[payment]?.operations.removeAll { $0.id == id }
        payments[payment]?.operations.append((kind, id, word, amount))
        return told(kind, id, word, number, of: payment, amount)
    }

    private func told(
        _ kind: String, _ id: String, _ word: String, _ number: Int, of payment: String,
        _ amount: Int64
    ) -> [Notification] {
        guard let reading else { return [] }
        guard !isFetched else {
            let body = fetched(payment).bytes
            let root = try? JSONDocument(parsing: body).root
            return root.flatMap { try? reading.facts($0, body) } ?? []
        }
        let entity =
            kind == "payment"
            ? Self.payment(id, word, amount, reference)
            : Self.operation(kind, id, word, amount) + [("paymentId", .text(payment))]
        let body = Body.object([
            ("resource", .text("event")), ("id", .text("event_\(number)-\(id)-\(word)")),
            ("type", .text("\(kind).\(word)")), ("entityId", .text(id)),
            ("_embedded", .object([("entity", .object(entity))])),
        ]).bytes
        return [reading.event(try? JSONDocument(parsing: body).root, body)]
    }

    private func fetched(_ id: String) -> Body {
        guard let payment = payments[id] else { return .null }
        var members = Self.payment(id, payment.status, payment.amount, reference)
        if let captured = payment.captured {
            members.append(("amountCaptured", Self.money(captured)))
        }
        let refunded = payment.operations.filter { $0.list == "refund" && $0.status != "failed" }
        members.append(
            ("amountRefunded", Self.money(refunded.reduce(0) { $0 + $1.amount })))
        let lists = ["capture", "refund", "chargeback"].map { kind in
            let list = payment.operations.filter { $0.list == kind }.map {
                Body.object(Self.operation(kind, $0.id, $0.status, $0.amount))
            }
            return ("\(kind)s", Body.list(list))
        }
        members.append(("_embedded", .object(lists)))
        return .object(members)
    }

    private static func payment(
        _ id: String, _ status: String, _ amount: Int64, _ reference: String
    ) -> [(String, Body)] {
        [
            ("resource", .text("payment")), ("id", .text(id)), ("mode", .text("live")),
            ("amount", money(amount)), ("status", .text(status)),
            ("metadata", .object([("order_id", .text(reference))])),
        ]
    }

    private static func operation(
        _ kind: String, _ id: String, _ word: String, _ amount: Int64
    ) -> [(String, Body)] {
        var members: [(String, Body)] = [
            ("resource", .text(kind)), ("id", .text(id)), ("amount", money(amount)),
        ]
        if kind != "chargeback" { members.append(("status", .text(word))) }
        let reversed = word == "reversed" ? Body.text("2026-01-02T00:00:00+00:00") : .null
        if kind == "chargeback" { members.append(("reversedAt", reversed)) }
        return members
    }

    private static func money(_ minor: Int64) -> Body {
        .object([
            ("currency", .text("EUR")),
            ("value", .text(Money(minor: minor, currency: Money.sampleCurrency).decimal)),
        ])
    }
}

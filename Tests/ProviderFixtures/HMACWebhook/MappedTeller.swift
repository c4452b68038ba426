import Payments

@testable import Providers

/// A sender that the merchant's configuration describes: `fields` defines its words and members,
/// and it may number its ids within each order, name no transaction, or write decimals.
package struct MappedTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .disputes, .openDisputes, .failedRefunds, .secondPayments,
    ]
    package static let troubles: Abilities = [.retries]
    /// If one id covers all attempts, a failed and a successful one contradict each other.
    package let isUnclear: Bool

    private let reference: String
    private let mapping: FieldMapping
    /// Whether a Standard Webhook has its header's id, which differs for each event.
    private let carriesIdentity: Bool
    /// Whether ids are 1, 2, 3 in each order.
    private let countsAnew: Bool
    private var names: [String: String] = [:]
    private var payments: [String: String] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        let tries = Set(
            life.facts.compactMap { fact in
                if case .attempt(let id, _, _) = fact { id } else { nil }
            })
        let namesTransaction = tries.count > 1 || generator.once(in: 2)
        isUnclear = false
        countsAnew = generator.once(in: 2)
        carriesIdentity = generator.once(in: 2)
        var mapping = FieldMapping(
            identity: carriesIdentity || generator.once(in: 2) ? [] : ["/event"],
            reference: "/data/order", transaction: namesTransaction ? "/data/payment" : nil,
            action: "/data/operation", status: "/type", amount: "/data/amount",
            amountForm: generator.pick(FieldMapping.AmountForm.allCases),
            currency: generator.once(in: 2) ? .fixed("EUR") : .pointer("/data/currency"),
            statuses: Dictionary(
                uniqueKeysWithValues: EventType.allCases.map { ("word.\($0.rawValue)", $0) }))
        mapping.scope = countsAnew ? .reference : .account
        self.mapping = mapping
    }

    package mutating func tell(_ fact: Fact, number place: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            let type: EventType =
                switch status {
                case .paid: .paid
                case .authorized: .authorized
                case .pending: .pending
                case .failed: .failed
                case .tryFailed: .tryFailed
                case .unconfirmed: .pending
                case .canceled: .canceled
                case .expired: .expired
                }
            return [told(type, id, nil, amount, place)]
        case .capture(let id, let payment, let status, let amount):
            payments[id] = payment
            return [
                told(status == .succeeded ? .captured : .captureFailed, payment, id, amount, place)
            ]
        case .refund(let id, let parent, let status, let amount):
            let type: EventType =
                switch status {
                case .succeeded: .refunded
                case .failed: .refundFailed
                case .pending: .refundPending
                }
            return [told(type, payments[parent] ?? parent, id, amount, place)]
        case .dispute(let id, let parent, let status, let amount):
            let type: EventType =
                switch status {
                case .open: .disputed
                case .closed: .disputeClosed
                case .won: .disputeWon
                case .lost: .chargedBack
                }
            return [told(type, payments[parent] ?? parent, id, amount, place)]
        case .void, .refundReversal, .disputeReversal, .raise, .cancel: return []
        }
    }

    private func text(_ amount: Int64) -> String {
        mapping.amountForm == .minor
            ? "\(amount)" : Money(minor: amount, currency: Money.sampleCurrency).decimal
    }

    private mutating func name(_ id: String) -> String {
        guard countsAnew else { return id }
        if let name = names[id] { return name }
        names[id] = "\(names.count + 1)"
        return "\(names.count)"
    }

    private mutating func told(
        _ type: EventType, _ payment: String, _ operation: String?, _ amount: Int64, _ place: Int
    ) -> Notification {
        var data: [(String, Body)] = [
            ("order", .text(reference)), ("payment", .text(name(payment))),
            ("amount", .text(text(amount))), ("currency", .text("EUR")),
        ]
        if let operation { data.append(("operation", .text(name(operation)))) }
        let body = Body.object([
            ("event", .text("E\(place)-\(reference)")), ("type", .text("word.\(type.rawValue)")),
            ("data", .object(data)),
        ])
        return MappedInterpretation.notification(
            body.bytes, mapping: mapping,
            carriedIdentity: carriesIdentity ? "msg-\(reference)-\(place)" : nil)
    }
}

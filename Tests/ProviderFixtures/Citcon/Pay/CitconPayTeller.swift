import Payments

@testable import Providers

/// Citcon Pay: the published `fields` has no `type`, so a refund may be one only by unsigned
/// members.
package struct CitconPayTeller: Teller {
    package static let abilities: Abilities = []
    package static let troubles: Abilities = [.retries, .cancels]

    private let reference: String
    private let signsType: Bool
    private let carriesChargesID: Bool
    private let refunds: Int

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        signsType = generator.once(in: 2)
        carriesChargesID = generator.once(in: 2)
        refunds = life.facts.count { if case .refund = $0 { true } else { false } }
    }

    /// Unsigned facts need a person.
    package var isUnclear: Bool { refunds > 0 && !signsType }

    package func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            let word =
                switch status {
                case .paid: "success"
                case .pending: "NULL"
                default: "fail"
                }
            return [told(id, "charge", word, amount, number)]
        case .refund(let id, let parent, _, let amount):
            return [told(carriesChargesID ? parent : id, "refund", "success", amount, number)]
        case .cancel(_, let payment, let amount, _):
            return [told(payment, "charge", "cancel", amount, number)]
        default: return []
        }
    }

    private static let token = Array("token".utf8)

    private func told(
        _ id: String, _ type: String, _ status: String, _ amount: Int64, _ number: Int
    ) -> Notification {
        var pairs: [(name: String, value: String)] = [
            ("id", id), ("amount", "\(amount)"), ("currency", "EUR"), ("notify_status", status),
            ("reference", reference), ("time", "2026-01-01 00:00:\(10 + number)"),
        ]
        if signsType { pairs.append(("type", type)) }
        pairs.append(("fields", pairs.map(\.name).joined(separator: ",")))
        let sign = CitconPay.sign(ListedFields.signedText(pairs), token: Self.token)
        pairs.append(("sign", String(decoding: sign, as: UTF8.self)))
        if !signsType { pairs.append(("type", type)) }
        let body = Body.object(pairs.map { ($0.name, .text($0.value)) })
        return verified(
            try? CitconPay(
                settings: EndpointSettings(name: "e", ["secrets": .secrets([Self.token])])),
            body.bytes)
    }
}

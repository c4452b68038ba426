import Bytes
import Payments

@testable import Providers

/// Citcon UPI: the documents do not say whose id, amount and reference a refund carries, and
/// whether `amount_refunded` is this refund or the sum so far: sixteen flavours, and a signed
/// pointer with some.
package struct CitconUPITeller: Teller {
    package static let abilities: Abilities = [.disputes, .openDisputes, .failedRefunds]
    package static let troubles: Abilities = [.retries, .cancels]

    private let reference: String
    private let total: Int64
    private let carriesChargesID: Bool
    private let carriesChargesAmount: Bool
    private let tellsSumSoFar: Bool
    private let carriesOwnReference: Bool
    /// Whether its own reference is that of another order.
    private let carriesNeighbours: Bool
    private let neighbour: String
    private let pointsAtCharge: Bool
    private var refunded: Int64 = 0
    private let refunds: Int

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        total = life.total
        carriesChargesID = generator.once(in: 2)
        carriesChargesAmount = generator.once(in: 3)
        tellsSumSoFar = generator.once(in: 2)
        let hasPointer = carriesChargesID || generator.once(in: 2)
        pointsAtCharge = hasPointer && !carriesChargesID
        // Without any pointer only the reference joins.
        carriesOwnReference = hasPointer && generator.once(in: 2)
        carriesNeighbours = pointsAtCharge && generator.once(in: 2)
        neighbour = life.neighbour
        refunds = life.facts.count {
            if case .refund(_, _, .succeeded, _) = $0 { true } else { false }
        }
    }

    /// Two refunds with the charge's amount may be reported in words that fit two sums.
    package var isUnclear: Bool { carriesChargesAmount && refunds > 1 }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            let word =
                switch status {
                case .paid: "success"
                case .pending: "initiated"
                default: "fail"
                }
            return [told(id, "charge", word, amount, "", reference, nil, number)]
        case .refund(let id, let parent, let status, let amount):
            if status == .succeeded { refunded += amount }
            let word =
                status == .succeeded ? "success" : status == .failed ? "fail" : "pending"
            return [
                told(
                    carriesChargesID ? parent : id, "refund", word,
                    carriesChargesAmount ? total : amount,
                    "\(tellsSumSoFar ? refunded : amount)",
                    carriesOwnReference
                        ? carriesNeighbours ? neighbour : "refund-\(id)" : reference,
                    pointsAtCharge ? parent : nil, number)
            ]
        case .dispute(let id, let parent, let status, let amount):
            let word =
                switch status {
                case .open: "Notification of Claim"
                case .won: "Won"
                case .lost: "Lost"
                case .closed: "Case Closed"
                }
            return [
                told(
                    id, "chargeback", word, amount, "", reference,
                    pointsAtCharge ? parent : nil, number)
            ]
        case .cancel(_, let payment, let amount, _):
            return [told(payment, "charge", "cancelled", amount, "", reference, nil, number)]
        case .capture, .void, .refundReversal, .disputeReversal, .raise: return []
        }
    }

    private static let secret = Array("secret".utf8)

    private func told(
        _ id: String, _ type: String, _ status: String, _ amount: Int64, _ refunded: String,
        _ reference: String, _ charge: String?, _ number: Int
    ) -> Notification {
        var pairs: [(name: String, value: String)] = [
            ("id", id), ("transaction_type", type), ("reference", reference),
            ("amount", "\(amount)"), ("currency", "EUR"), ("status", status),
            ("time_completed", "2026-01-01T00:00:\(10 + number)Z"), ("amount_captured", ""),
            ("amount_refunded", refunded),
        ]
        if let charge { pairs.append(("transaction_id", charge)) }
        pairs.append(("fields", pairs.map(\.name).joined(separator: ",")))
        let sign = CitconUPI.sign(ListedFields.signedText(pairs), secret: Self.secret)
        pairs.append(("sign", String(decoding: sign, as: UTF8.self)))
        let body = Body.object(pairs.map { ($0.name, .text($0.value)) })
        return verified(
            try? CitconUPI(
                settings: EndpointSettings(name: "e", ["secrets": .secrets([Self.secret])])),
            body.bytes)
    }
}

/// The notification that a provider reads from a genuine body.
func verified<System: Provider>(_ system: System?, _ body: [UInt8]) -> Notification {
    guard let system else { fatalError("the settings are right") }
    do {
        let delivery = SignedRequest(
            path: Array("/e".utf8)[...], headers: [], body: body,
            received: Timestamp(microseconds: 0))
        return system.interpret(try system.verify(delivery).evidence)
    } catch {
        fatalError("\(error): \(String(decoding: body, as: UTF8.self))")
    }
}

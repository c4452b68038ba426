import Payments

@testable import Providers

/// Xendit: two generations of payments tell the same, a manual capture tells all captures so far
/// or the new one alone, and a refund's own reference is an alias.
package struct XenditTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .disputes, .failedRefunds, .secondPayments,
    ]
    package static let troubles: Abilities = [.retries]
    package let isUnclear = false

    private let reading = RecipeReading("xendit")
    private let reference: String
    private let isEarlier: Bool
    private let listsAll: Bool
    private var payments: [String: String] = [:]
    private var captures: [String: [(id: String, amount: Int64)]] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        isEarlier = generator.once(in: 2)
        listsAll = generator.once(in: 2)
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            let (name, word) =
                switch status {
                case .paid: ("capture", "SUCCEEDED")
                case .authorized: ("authorization", "AUTHORIZED")
                case .pending: ("pending", "PENDING")
                default: ("failure", "FAILED")
                }
            return isEarlier
                ? told(
                    "payment.\(name)",
                    [
                        ("id", .text("py-\(id)")), ("payment_request_id", .text("pr-\(id)")),
                        ("reference_id", .text(reference)), ("currency", .text("EUR")),
                        ("amount", Self.major(amount)), ("status", .text(word)),
                    ])
                : told("payment.\(name)", payment(id, word, amount, method: "AUTOMATIC"))
        case .capture(let id, let payment, let status, let amount):
            payments[id] = payment
            let word = status == .succeeded ? "SUCCEEDED" : "FAILED"
            let new = (id: id, amount: amount)
            if status == .succeeded { captures[payment, default: []].append(new) }
            let all = status == .succeeded && listsAll ? captures[payment] ?? [] : [new]
            let list = all.map { capture in
                Body.object([
                    ("capture_id", .text("cptr-\(capture.id)")),
                    ("capture_amount", Self.major(capture.amount)),
                ])
            }
            return told(
                "payment.capture",
                self.payment(payment, word, amount, method: "MANUAL")
                    + [("captures", .list(list))])
        case .refund(let id, let parent, let status, let amount):
            let word =
                switch status {
                case .succeeded: "SUCCEEDED"
                case .pending: "PENDING"
                case .failed: "FAILED"
                }
            return told(
                status == .failed ? "refund.failed" : "refund.succeeded",
                [
                    ("id", .text("rfd-\(id)")), ("reference_id", .text("R-\(id)")),
                    ("payment_id", .text("py-\(payments[parent] ?? parent)")),
                    ("amount", Self.major(amount)), ("currency", .text("EUR")),
                    ("status", .text(word)),
                ])
        case .dispute(let id, let parent, let status, let amount):
            let word = status == .lost ? "lost" : "under_review"
            return reading.read(
                .object([
                    ("event", .text("dispute.\(word)")), ("id", .text("mi-dspt-\(id)")),
                    ("payment_id", .text("py-\(payments[parent] ?? parent)")),
                    ("reference_id", .text(reference)), ("currency", .text("EUR")),
                    ("status", .text(word.uppercased())),
                    ("amount", .object([("initial", Self.major(amount))])),
                ]))
        case .void, .refundReversal, .disputeReversal, .raise, .cancel: return []
        }
    }

    private func payment(
        _ id: String, _ status: String, _ amount: Int64, method: String
    ) -> [(String, Body)] {
        [
            ("payment_id", .text("py-\(id)")), ("payment_request_id", .text("pr-\(id)")),
            ("reference_id", .text(reference)), ("currency", .text("EUR")),
            ("request_amount", Self.major(amount)), ("capture_method", .text(method)),
            ("status", .text(status)),
        ]
    }

    private func told(_ event: String, _ data: [(String, Body)]) -> [Notification] {
        reading.read(.object([("event", .text(event)), ("data", .object(data))]))
    }

    /// The amount in major units, as text.
    private static func major(_ amount: Int64) -> Body {
        let cents = amount % 100
        return .text("\(amount / 100).\(cents < 10 ? "0" : "")\(cents)")
    }
}

import Payments

@testable import Providers

/// Alipay: a payment is reported when it waits and when it has succeeded, and again with every
/// refund, which names only the sum that was refunded until then. The merchant numbers the refunds,
/// perhaps in one sequence with orders; one that was made on Alipay's page has no number.
package struct AlipayTeller: Teller {
    package static let abilities: Abilities = [.successesOnly]
    package static let troubles: Abilities = []
    package let isUnclear = false

    private let reference: String
    private let total: Int64
    private let waits: Bool
    private let finishes: Bool
    private let numbersRefunds: Bool
    private let numbers: Int
    private var refunded: [String: Int64] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        total = life.total
        waits = generator.once(in: 2)
        finishes = generator.once(in: 2)
        numbersRefunds = !generator.once(in: 3)
        numbers = Int.random(in: 0...1, using: &generator)
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, .paid, let amount):
            var told: [Notification] = []
            if waits { told += notifications(id, "WAIT_BUYER_PAY", amount, "\(number)-w") }
            told += notifications(id, "TRADE_SUCCESS", amount, "\(number)", paid)
            if finishes { told += notifications(id, "TRADE_FINISHED", amount, "\(number)-f", paid) }
            return told
        case .refund(let id, let parent, .succeeded, let amount):
            refunded[parent, default: 0] += amount
            let sum = refunded[parent] ?? 0
            var more = paid + [("refund_fee", decimal(sum)), ("send_back_fee", decimal(amount))]
            // The number of one refund may be that of another order.
            if numbersRefunds { more.append(("out_biz_no", numbers == 0 ? "R-\(id)" : id)) }
            return notifications(
                parent, sum < total ? "TRADE_SUCCESS" : "TRADE_CLOSED", total, "\(number)", more)
        default: return []
        }
    }

    private let paid = [("gmt_payment", "2026-03-10 11:22:33")]

    private func notifications(
        _ id: String, _ status: String, _ amount: Int64, _ notify: String,
        _ more: [(String, String)] = []
    ) -> [Notification] {
        let fields =
            [
                ("notify_type", "trade_status_sync"), ("notify_id", "N-\(id)-\(notify)"),
                ("trade_no", id), ("out_trade_no", reference), ("trade_status", status),
                ("total_amount", decimal(amount)), ("trans_currency", "EUR"),
            ] + more
        let body = Array(fields.map { "\($0)=\($1)" }.joined(separator: "&").utf8)
        var work = VerificationWork(receivedBytes: body.count)
        guard let form = try? AlipayForm(parsing: body, work: &work) else { return [] }
        return AlipayInterpretation(AlipayEvidence(form: form, product: .openPlatform))
            .notifications
    }

    private func decimal(_ minor: Int64) -> String {
        Money(minor: minor, currency: Money.sampleCurrency).decimal
    }
}

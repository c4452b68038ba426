import Payments

@testable import Providers

/// The life of one direct debit as GoCardless reports it: events without sums, in requests of any
/// number of them, in any order. The state at its end is kept while it is played, without any of
/// the order rules.
package struct GoCardlessLife: Sendable {
    package let reference: String
    /// The life's events as JSON texts, in the order in which they happened.
    package private(set) var events: [String] = []
    /// The order's status at the end.
    package private(set) var status = OrderStatus.pending
    /// Why the debit failed, if it did.
    package private(set) var cause: String?
    /// Whether the events report both a success and a failure of the debit or of a refund.
    package private(set) var isContradicted = false
    /// Whether money moved, of which no event names the sum.
    package private(set) var movesMoney = false

    private let payment: String
    /// Whether events about refunds name the payment.
    private let linksRefunds: Bool
    private var hasFailed = false

    package init(_ reference: String, using generator: inout some RandomNumberGenerator) {
        self.reference = reference
        payment = "PM-\(reference)"
        linksRefunds = generator.once(in: 2)
        play(using: &generator)
    }

    private mutating func play(using generator: inout some RandomNumberGenerator) {
        add("created")
        if generator.once(in: 4) {
            guard !generator.once(in: 3) else { return end("customer_approval_denied", .failed) }
            add("customer_approval_granted")
        }
        guard !generator.once(in: 8) else { return end("cancelled", .canceled) }
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            add("submitted")
            add("failed", cause: "insufficient_funds", retries: true)
        }
        add("submitted")
        if generator.once(in: 4) {
            end("failed", .failed)
            // The merchant may try the same payment again.
            guard generator.once(in: 2) else { return }
            (status, cause) = (.pending, nil)
            add("resubmission_requested")
            add("submitted")
        }
        guard !generator.once(in: 6) else {
            if hasFailed { end("failed", .failed) }
            return
        }
        playConfirmed(using: &generator)
    }

    private mutating func playConfirmed(using generator: inout some RandomNumberGenerator) {
        add("confirmed")
        (status, movesMoney, isContradicted) = (.paid, true, hasFailed)
        if generator.once(in: 2) { add("paid_out") }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            add("failed", cause: "bank_account_closed")
            isContradicted = true
            add("late_failure_settled")
            // All of it went back, but of sums that are unknown no order says so.
            status = .partiallyRefunded
        case 1:
            add("charged_back", cause: "refund_requested")
            status = .chargedBack
            if generator.once(in: 2) { add("chargeback_settled") }
            guard generator.once(in: 2) else { return }
            add("chargeback_cancelled")
            status = .paid
        case 2:
            for number in 0..<Int.random(in: 1...2, using: &generator) {
                playRefund("RF-\(reference)-\(number)", using: &generator)
            }
        default: break
        }
    }

    private mutating func playRefund(
        _ id: String, using generator: inout some RandomNumberGenerator
    ) {
        add("created", refund: id)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1: add("failed", refund: id)
        case 2:
            add("paid", refund: id)
            // The sum is unknown, so that it is not known either whether it was all.
            status = .partiallyRefunded
            if generator.once(in: 2) { add("refund_settled", refund: id) }
        default:
            add("paid", refund: id)
            add("funds_returned", refund: id)
            status = .partiallyRefunded
            isContradicted = true
        }
    }

    private mutating func end(_ action: String, _ status: OrderStatus) {
        let cause = "payment_\(action)"
        add(action, cause: cause)
        (self.status, self.cause) = (status, cause)
        hasFailed = status == .failed
    }

    private mutating func add(
        _ action: String, refund: String? = nil, cause: String = "none", retries: Bool = false
    ) {
        var links: [(String, Body)] = refund.map { [("refund", .text($0))] } ?? []
        // The first event about a refund leads to the payment.
        if refund == nil || linksRefunds || action == "created" {
            links.append(("payment", .text(payment)))
        }
        let event = Body.object([
            ("id", .text("EV-\(reference)-\(events.count)")),
            ("created_at", .text("2026-10-01T10:00:00.000Z")),
            ("resource_type", .text(refund == nil ? "payments" : "refunds")),
            ("action", .text(action)), ("links", .object(links)),
            (
                "details",
                .object([
                    ("origin", .text("bank")), ("cause", .text(cause)),
                    ("will_attempt_retry", .bool(retries)),
                ])
            ),
            (
                "resource_metadata",
                .object(refund == nil ? [("order_id", .text(reference))] : [])
            ),
        ])
        events.append(event.description)
    }

    /// The body of one request with these events.
    package static func body(_ events: [String]) -> [UInt8] {
        Array(#"{"events":[\#(events.joined(separator: ","))],"meta":{"webhook_id":"WB1"}}"#.utf8)
    }

    private static let reading = RecipeReading("gocardless")

    /// The notifications of one request with these events.
    package static func read(_ events: [String]) -> [Notification] { reading.read(body(events)) }
}

import Payments

@testable import Providers

/// Airwallex: a failed try leaves its intent open, a capture may take less than the intent's
/// amount, names and envelopes of two API versions, and numbers in major units.
package struct AirwallexTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .oneCapture, .disputes, .openDisputes, .failedRefunds, .secondPayments,
        .tries,
    ]
    package static let troubles: Abilities = []
    /// A capture in part is final, so that less than expected was paid: a person decides.
    package let isUnclear: Bool

    private let reading = RecipeReading("airwallex")
    private let reference: String
    private let live: Set<String>
    /// Intents whose try failed and that never succeeded. They stay open at Airwallex, but failed
    /// in the books of a life, so that these are reported by their tries alone.
    private let abandoned: Set<String>
    private let isEarlier: Bool
    private let capturesLater: Bool
    private let namesIntent: Bool
    private let trimsZeros: Bool
    private var intents: [String: String] = [:]
    private var authorized: [String: Int64] = [:]

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        isUnclear = life.facts.contains {
            if case .capture(_, _, .succeeded, let amount) = $0 {
                amount < life.total
            } else {
                false
            }
        }
        let live = life.liveAttempts
        self.live = live
        abandoned = Set(
            life.facts.compactMap {
                if case .attempt(let id, .failed, _) = $0, !live.contains(id) { id } else { nil }
            })
        isEarlier = generator.once(in: 2)
        capturesLater = generator.once(in: 2)
        namesIntent = generator.once(in: 2)
        trimsZeros = generator.once(in: 2)
    }

    package mutating func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, .paid, let amount):
            // Of the intent's amount, this was captured.
            let whole = authorized[id] ?? (capturesLater ? amount + 100 : amount)
            authorized[id] = whole
            let told = intent("succeeded", number, id, whole, captured: amount)
            guard capturesLater else { return told }
            return told
                + intent(isEarlier ? "capture_required" : "requires_capture", number, id, whole)
        case .attempt(let id, .authorized, let amount):
            authorized[id] = amount
            return intent(
                isEarlier ? "capture_required" : "requires_capture", number, id, amount)
        case .attempt(let id, .pending, let amount):
            guard !abandoned.contains(id) else { return [] }
            return intent("created", number, id, amount)
                + intent("requires_customer_action", number, id, amount)
        case .attempt(let id, _, let amount):
            let told = event(
                "payment_attempt.authorization_failed", number,
                attempt(id, number, amount)
                    + [
                        ("merchant_order_id", .text(reference)),
                        ("failure_code", .text("issuer_declined")),
                    ])
            guard live.contains(id) else { return told }
            return told + intent("requires_payment_method", number, id, amount)
        case .capture(let id, let payment, let status, let amount):
            intents[id] = payment
            guard status == .succeeded else {
                return event(
                    "payment_attempt.capture_failed", number, attempt(payment, number, amount))
            }
            return event("payment_attempt.settled", number, attempt(payment, number, amount))
                + intent(
                    "succeeded", number, payment, authorized[payment] ?? amount, captured: amount)
        case .refund(let id, let parent, let status, let amount):
            let last =
                switch status {
                case .succeeded: isEarlier ? "succeeded" : "settled"
                case .pending: isEarlier ? "processing" : "accepted"
                case .failed: "failed"
                }
            return ["received", last].flatMap { word in
                event(
                    "refund.\(word)", number,
                    [
                        ("id", .text("rfd_\(id)")), ("request_id", .text("request-\(id)")),
                        ("payment_intent_id", .text("int_\(intents[parent] ?? parent)")),
                        ("amount", major(amount)), ("currency", .text("EUR")),
                    ])
            }
        case .dispute(let id, let parent, let status, let amount):
            return tell(dispute: id, of: intents[parent] ?? parent, status, amount, number)
        case .void, .refundReversal, .disputeReversal, .raise, .cancel: return []
        }
    }

    private func tell(
        dispute id: String, of intent: String, _ status: DisputeStatus, _ amount: Int64,
        _ number: Int
    ) -> [Notification] {
        let word =
            switch status {
            case .open: isEarlier ? "challenged" : "requires_response"
            case .won: "won"
            case .closed: "reversed"
            case .lost: isEarlier ? "expired" : "lost"
            }
        // A published sample lacks the intent.
        let link =
            namesIntent ? ("payment_intent_id", "int_\(intent)") : ("merchant_order_id", reference)
        return event(
            isEarlier ? "dispute.\(word)" : "payment_dispute.\(word)", number,
            [
                ("id", .text("dsp_\(id)")), (link.0, .text(link.1)), ("stage", .text("CHARGEBACK")),
                ("amount", major(amount)), ("currency", .text("EUR")),
            ])
    }

    private func intent(
        _ word: String, _ number: Int, _ id: String, _ amount: Int64, captured: Int64 = 0
    ) -> [Notification] {
        event(
            "payment_intent.\(word)", number,
            [
                ("id", .text("int_\(id)")), ("merchant_order_id", .text(reference)),
                ("amount", major(amount)), ("captured_amount", major(captured)),
                ("currency", .text("EUR")),
            ])
    }

    private func attempt(_ id: String, _ number: Int, _ amount: Int64) -> [(String, Body)] {
        [
            ("id", .text("att_\(id)-\(number)")), ("payment_intent_id", .text("int_\(id)")),
            ("amount", major(amount)), ("currency", .text("EUR")),
            ("refunded_amount", .digits("0")),
        ]
    }

    private func event(
        _ name: String, _ number: Int, _ object: [(String, Body)]
    ) -> [Notification] {
        let (account, time) =
            isEarlier ? ("accountId", "createdAt") : ("account_id", "created_at")
        return reading.read(
            .object([
                ("id", .text("evt_\(reference)-\(number)-\(name)")), ("name", .text(name)),
                (account, .text("acct_1")), (time, .text("2026-10-01T10:00:00+0000")),
                ("data", .object([("object", .object(object))])),
            ]))
    }

    /// The amount as a number of major units: `10.5` and `10.50` are the same.
    private func major(_ amount: Int64) -> Body {
        let cents = amount % 100
        if trimsZeros, cents == 0 { return .digits("\(amount / 100)") }
        if trimsZeros, cents % 10 == 0 { return .digits("\(amount / 100).\(cents / 10)") }
        return .digits("\(amount / 100).\(cents < 10 ? "0" : "")\(cents)")
    }
}

/// The advice for each flag of an order, as in config/orders.md.
package enum FlagAdvice {
    /// Sentences by the flag's word.
    package static let sentences: [String: String] = [
        "conflict":
            "The same event was reported with other content: "
            + "compare `claims` with the provider's report.",
        "amount_unexpected":
            "The amount is not the one that you registered: compare `expected` with `amount`.",
        "amounts_differ":
            "One operation was reported with several amounts: compare `claims` with the "
            + "provider's report.",
        "unsigned_claim": "Ask the provider whether the payment was refunded.",
        "unverified_chargeback": "Look the chargeback up in the provider's dashboard.",
        "refund_ambiguous":
            "`ipnd inquire` may settle it; otherwise find out which of the `candidates` was "
            + "refunded.",
        "reversal_ambiguous": "Find out what was reversed, and whether money was returned.",
        "capture_ambiguous":
            "Find out to which payment the captures belong: until then, `amount` and `captured` "
            + "are unknown.",
        "not_understood": "Read the body in the record, and report it as a bug.",
        "over_refunded":
            "More was refunded than paid: wait for a late payment, otherwise check the refunds.",
        "currency_mismatch": "One payment in two currencies: check it at the provider.",
        "invalid_amount":
            "A negative amount was reported and ignored, or a sum exceeds 64 bits: check it at "
            + "the provider.",
        "too_many_events":
            "More than `limits.orderFactsMax` (256) attempts, refunds, references and so on: the "
            + "rest is only in the journal. The order accepts no further events: an operation "
            + "with its own reference starts a separate order, with this flag.",
        "paid_twice": "Refund one of the two payments.",
        "contradicted":
            "Reported as succeeded and as failed, canceled or expired: make sure that you have "
            + "the money before you deliver something expensive.",
        "capture_failed": "Nothing was captured: capture again or cancel.",
        "partially_captured": "Deliver what `captured` pays for.",
        "over_captured": "More was captured than authorised: refund what was captured twice.",
        "provider_review": "Check for fraud before you deliver.",
        "unconfirmed":
            "The notification alone proves nothing: do not deliver until an answer of the provider "
            + "confirms it (`ipnd inquire`).",
        "amount_unknown": "Paid or refunded without a sum: with an `inquiry`, ipnd asks for it; "
            + "otherwise check it at the provider.",
        "unknown_status":
            "An unknown status word: check the payment at the provider, and report it as a bug.",
        "unknown_kind": "An unknown kind of notification, without effect: report it as a bug.",
        "unjoined":
            "No reference is known yet: wait for the payment, or open the order by its "
            + "`transaction` (`ipnd orders '~ID'`).",
        "test_mode": "Test payment: do not deliver.",
        "shared_id":
            "Another order (`sharedWith`) claims a payment with the same id: find out to which "
            + "order it belongs, and resolve each, or use `ipnd split`.",
        "resolved": "A person has resolved the order: see the resolution.",
        "reopened":
            "New events were reported after a person had resolved it: check again (`ipnd "
            + "resolve`).",
        "overdue":
            "Expected, but without a final status in time: ask the provider (`ipnd inquire`).",
    ]
}

/// The advice for each flag of an order, as in config/orders.md.
package enum FlagAdvice {
    /// Sentences by the flag's word.
    package static let sentences: [String: String] = [
        "conflict":
            "The same event came with other content, or not with the amount that you "
            + "expect: compare `claims` with the provider's report.",
        "amount_unexpected":
            "The amount is not the one that you registered: compare `expected` with `amount`.",
        "amounts_differ":
            "One thing was reported with several amounts: compare `claims` with the provider's "
            + "report.",
        "unsigned_claim": "Ask the provider whether the payment was refunded.",
        "unverified_chargeback": "Look the chargeback up in the provider's dashboard.",
        "refund_ambiguous":
            "`ipnd inquire` may settle it, else look up which of the `candidates` was refunded.",
        "reversal_ambiguous": "Look up what was reversed, and whether money went back.",
        "capture_ambiguous":
            "Look up of which payment the captures are: `amount` and `captured` are not "
            + "known until then.",
        "not_understood":
            "Read the body in the record, and report it as a bug.",
        "over_refunded":
            "More went back than came in: wait for a payment that is late, else look at the "
            + "refunds.",
        "currency_mismatch": "One payment in two currencies: look it up at the provider.",
        "invalid_amount":
            "An amount below zero was set aside, or a sum is too large for 64 bits: look it up at "
            + "the provider.",
        "too_many_events":
            "More than `limits.orderFactsMax` (256) attempts, refunds, references and so "
            + "on: the rest is only in the journal. Such an order takes nothing more in: an "
            + "operation with a reference of its own begins an order of its own, with this flag.",
        "paid_twice": "Refund one of the two payments.",
        "contradicted":
            "Reported as succeeded and as failed, canceled or expired: check that the money "
            + "came before you deliver something costly.",
        "capture_failed": "Nothing was taken: capture again or cancel.",
        "partially_captured": "Deliver what `captured` pays for.",
        "over_captured":
            "More was captured than was authorised: refund what was captured twice.",
        "provider_review": "Check for fraud before you deliver.",
        "amount_unknown": "Paid or refunded without a sum: look it up at the provider.",
        "unknown_status":
            "A status word that ipnd does not know: look up the payment, and report it as a "
            + "bug.",
        "unknown_kind":
            "A notification that ipnd does not know; it changed nothing: report it as a "
            + "bug.",
        "unjoined":
            "No reference is known yet: wait for the payment, else open it by its `transaction` "
            + "(`ipnd orders '~ID' --endpoint NAME`).",
        "test_mode": "Test payment: do not deliver.",
        "shared_id":
            "Another order (`sharedWith`) claims a payment by the same id: look up whose it is, "
            + "and resolve each, or `ipnd split`.",
        "resolved": "A person has decided what the order is: see the resolution.",
        "reopened":
            "A person had resolved it, and something was reported since: look again "
            + "(`ipnd resolve`).",
        "overdue":
            "Expected, and no final word came in time: ask the provider (`ipnd inquire`).",
    ]
}

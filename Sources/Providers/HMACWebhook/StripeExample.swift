import Bytes
import Cryptography

/// Stripe as an endpoint of `hmac`: `hmac` and `fields` describe its signatures and payments
/// (docs.stripe.com/webhooks).
enum StripeExample {
    static let endpoint = SandboxExample(
        name: "stripe",
        make: { () throws(KeyError) in
            ("whsec_" + SandboxMark.text + Hex.encode(secureRandomBytes(16)), nil)
        },
        file: "secrets/stripe", lines: text.split(separator: "\n").map(String.init))

    private static let text = """
        secrets: [{file: secrets/stripe}]   # the endpoint's signing secret, with its whsec_
        toleranceSeconds: 300               # Stripe signs every retry with a new time
        hmac:
          header: stripe-signature          # t=1492774577,v1=5257a869…,v1=6ffbb59b…
          signatureParameter: v1
          timestampParameter: t
          signs: "{timestamp}.{body}"
        # Send this endpoint payment_intent.succeeded, .payment_failed, .canceled, .processing and
        # .amount_capturable_updated, refund.created, .updated and .failed, and charge.dispute.*.
        # Set metadata.order_id when you make a PaymentIntent. Amounts in ISK, UGX or MGA cannot
        # be read: Stripe's smallest units for them are not those of ISO 4217.
        fields:
          identity: [/id]
          reference: /data/object/metadata/order_id
          transaction: /data/object/id
          status: /type
          amount: /data/object/amount
          currency: /data/object/currency
          occurred: /created
          statuses:
            payment_intent.processing: pending
            payment_intent.amount_capturable_updated: authorized
            payment_intent.canceled: canceled
            # A charge's amount_refunded is the total of all its refunds so far, and its amount
            # is the charge's. Neither is one refund, so these say nothing about money here;
            # the refund objects below do, each with its own id and amount.
            charge.refunded: ignored
            charge.refund.updated: ignored
          variants:
            - when: /type                   # one try: the PaymentIntent may be tried again
              is: [payment_intent.payment_failed]
              transaction: /data/object/last_payment_error/charge
              statuses: {payment_intent.payment_failed: failed}
            - when: /type                   # of a partial capture, only this part was taken
              is: [payment_intent.succeeded]
              amount: /data/object/amount_received
              statuses: {payment_intent.succeeded: paid}
            - when: /data/object/object     # refund.created, refund.updated, refund.failed
              is: [refund]
              transaction: /data/object/payment_intent
              action: /data/object/id
              status: /data/object/status
              statuses:
                pending: refund_pending
                requires_action: refund_pending
                succeeded: refunded
                failed: refund_failed
                canceled: refund_failed
            - when: /data/object/object     # charge.dispute.created, .updated, .closed
              is: [dispute]
              transaction: /data/object/payment_intent
              action: /data/object/id
              status: /data/object/status
              statuses:
                needs_response: disputed
                under_review: disputed
                warning_needs_response: disputed
                warning_under_review: disputed
                warning_closed: dispute_closed
                won: dispute_won
                lost: charged_back
        """
}

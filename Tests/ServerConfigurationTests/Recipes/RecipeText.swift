@testable import ServerConfiguration

/// A small recipe, of which the tests change lines.
enum RecipeText {
    static let acme = """
        provider: acme
        title: Acme Pay
        url: "Settings > Webhooks: Callback URL"
        settings:
          secrets: {kind: secrets, help: "the signing keys", dashboard: "Settings > API keys"}
          toleranceSeconds: {kind: seconds, default: 300}
          mode: {kind: mode}
          merchantID: {kind: text, help: "the merchant's id"}
          references: {kind: pointers, default: [/data/order], help: "where your reference is"}
        hmac:
          header: X-Acme-Signature
          signs: "{timestamp}.{body}"
          timestampHeader: x-acme-time
        require:
          - {at: /merchant, equals: {setting: merchantID}, reason: merchant_mismatch}
        fields:
          identity: [/id]
          reference: {setting: references}
          transaction: [/data/payment, /data/id]
          status: /type
          amount: /data/amount
          currency: /data/currency
          occurred: /created
          test: [{at: /live, is: [false]}]
          statuses:
            payment.done: paid
            payment.failed: failed
            "payout.*": ignored
          variants:
            - when: /type
              is: [refund.done, refund.failed]
              action: /data/refund
              statuses: {refund.done: refunded, refund.failed: refund_failed}
        marks: {headers: [[x-acme-signature]]}
        """

    /// What is found in ``acme`` with `old` replaced by `new`.
    static func findings(_ old: String, _ new: String) -> [Finding] {
        RecipeFile(text: acme.replacing(old, with: new), name: "acme", isShipped: true).findings
    }
}

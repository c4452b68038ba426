import Bytes
import Cryptography
import JSON
import Payments

/// A provider that exists only for `scripts/toy-provider`.
///
/// - **Verification:** lowercase hex HMAC-SHA256 in `x-toy-signature`, over the shop's id, a dot
///   and the body.
/// - **Answer:** `200` with the body `ok`.
/// - **Identity:** the event's `id`.
package struct Toy: Provider {
    package struct Evidence: Sendable, Equatable {
        let body: [UInt8]
    }

    private let secrets: Secrets<HMACKey>
    private let shop: String

    /// - Throws: ``SettingsError`` without a secret or the shop's id.
    package init(settings: EndpointSettings) throws(SettingsError) {
        secrets = Secrets(values: try settings.requiredSecrets().map { HMACKey(.sha256, $0) })
        guard let shop = settings[Self.shop] else {
            throw Self.shop.error("the shop's id is needed")
        }
        self.shop = shop
    }

    package func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<Evidence> {
        let signature = try delivery.single("x-toy-signature")
        let key = secrets.ordinal { secret in
            constantTimeEqual(signature, Self.signature(delivery.body, shop: shop, secret))
        }
        guard let key else { throw .signatureMismatch }
        return Verified(evidence: Evidence(body: delivery.body), key: key)
    }

    package func interpret(_ evidence: Evidence) -> Notification {
        ToyInterpretation.notification(evidence.body)
    }

    package func answer(_ verdict: Verdict) -> Answer { .plainText(verdict, accepted: .ok) }

    /// The value of the header.
    static func signature(_ body: [UInt8], shop: String, _ key: HMACKey) -> [UInt8] {
        Array(Hex.encode(key.code(parts: [Array("\(shop).".utf8)[...], body[...]])).utf8)
    }
}

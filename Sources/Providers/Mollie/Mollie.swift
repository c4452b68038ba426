import Bytes
import Cryptography
import JSON
import Payments

/// Mollie's webhooks (docs.mollie.com/reference/webhooks-new and /webhooks).
///
/// - **Signed events:** `x-mollie-signature` is the hex of HMAC-SHA256 over the raw body, perhaps
///   after `sha256=`. While a secret is changed there are two header fields, one for each secret.
///   No time is signed: only the event's id shows a replay.
/// - **Classic:** a form with `id=tr_…`, unsigned. It says that something happened to a payment;
///   the payment is fetched before the request is answered, and only the answer counts. The same
///   holds for a signed event without its entity.
/// - **Answer:** `200` with an empty body, for unknown ids too, so that a guesser cannot find out
///   which exist. Refused `401` or `400`; not fetched or not stored `503`.
/// - **Retries:** ten in all, after 1, 2, 4, 8, 16, 29 min, 1, 2 and 22 h.
/// - **Identity:** the event's id; in answers the id of a payment or operation and its status.
/// - **Settings:** `webhookSecrets`, `kind`, `mode`, `reference`, `apiKey`.
public struct Mollie: Provider {
    public typealias Evidence = MollieEvidence

    static let signaturesMax = 8
    private static let prefix = Array("sha256=".utf8)

    private let kind: Kind
    private let secrets: Secrets<HMACKey>
    private let reading: MollieReading
    /// Whether payments can be fetched.
    private let isAsked: Bool
    private let verificationLimits: VerificationLimits

    /// - Throws: ``SettingsError`` without a secret for signed events or an API key for classic
    ///   calls, and for a reference that is no JSON pointer.
    package init(settings: EndpointSettings) throws(SettingsError) {
        kind = settings[Self.kind] ?? .signed
        verificationLimits = settings.verificationLimits
        let texts =
            kind == .signed ? try settings.requiredSecrets(Self.secrets.row.key) : []
        secrets = Secrets(values: texts.map { HMACKey(.sha256, Array($0.trimmingWhiteSpace)) })
        reading = try MollieReading(settings)
        isAsked = settings[Self.apiKey] != nil
        guard isAsked || kind == .signed else {
            throw Self.apiKey.error("the API key is needed to fetch the payments")
        }
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<MollieEvidence> {
        guard kind == .signed else {
            return Verified(
                evidence: .payment(try paymentID(delivery.body)), key: UnsignedDelivery.key)
        }
        let sent = try signatures(delivery)
        let key = secrets.ordinal { secret in
            let code = secret.code(parts: [delivery.body[...]])
            // Each is compared, so that the time does not reveal which one is right.
            return sent.reduce(false) { constantTimeEqual($1, code) || $0 }
        }
        guard let key else { throw .signatureMismatch }
        let root = try? JSONDocument(parsing: delivery.body).root
        return Verified(evidence: .event(root, delivery.body), key: key)
    }

    /// The codes of all header fields; a proxy may have joined them.
    private func signatures(_ delivery: SignedRequest) throws(Refusal) -> [[UInt8]] {
        let values = delivery.headers.filter { $0.isNamed("x-mollie-signature") }
            .flatMap {
                $0.value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            }
            .map { $0.trimmingBlanks }
        guard !values.isEmpty else {
            throw .unauthenticated("missing_header", "the header x-mollie-signature is missing")
        }
        guard values.count <= Self.signaturesMax else {
            throw .unauthenticated(
                "signature_too_many", "more than \(Self.signaturesMax) signatures")
        }
        var codes: [[UInt8]] = []
        for value in values {
            var digits = value
            if digits.starts(with: Self.prefix) {
                digits = digits.dropFirst(Self.prefix.count)
            } else if let mark = digits.firstIndex(of: UInt8(ascii: "=")),
                mark < digits.endIndex - 2
            {
                throw .unauthenticated("signature_prefix", "the signature's prefix is not sha256=")
            }
            guard let code = Hex.decode(digits), code.count == SHA256.byteCount else {
                throw .unauthenticated("signature_encoding", "the signature is not 64 hex digits")
            }
            codes.append(code)
        }
        return codes
    }

    /// The id in a form; everything else in it is ignored, because a stranger can write it.
    private func paymentID(_ body: [UInt8]) throws(Refusal) -> String {
        var work = VerificationWork(receivedBytes: body.count, limits: verificationLimits)
        let form = try FormBody(parsing: body[...], work: &work)
        guard let id = form["id"] else {
            throw .malformed("field_missing", "the form has no `id`")
        }
        guard Self.isPaymentID(id) else {
            throw .malformed("id_malformed", "`id` is not that of a payment, tr_…")
        }
        return id
    }

    /// Whether it may become a part of a URL: `tr_` and letters and digits.
    static func isPaymentID(_ id: String) -> Bool {
        id.utf8.starts(with: "tr_".utf8) && (4...67).contains(id.utf8.count)
            && id.utf8.dropFirst(3).allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
    }

    public func question(about evidence: MollieEvidence) -> InquiryQuestion? {
        switch evidence.content {
        case .payment(let id): return InquiryQuestion(by: .transaction, id)
        case .event(let root, _):
            guard isAsked, let root, root["_embedded"]?["entity"] == nil,
                root["type"]?.word?.utf8.starts(with: "payment.".utf8) == true,
                let id = root["entityId"]?.word, Self.isPaymentID(id)
            else { return nil }
            return InquiryQuestion(by: .transaction, id)
        }
    }

    public var sendsOneEvent: Bool { true }

    public func interpret(_ evidence: MollieEvidence) -> Notification {
        switch evidence.content {
        case .payment(let id):
            // Only read where it was not fetched, as by `ipnd explain`.
            Notification(
                id: EventIdentity.text("look", id), kind: "look", status: "look", transaction: id)
        case .event(let root, let body): reading.event(root, body)
        }
    }

    public func answer(_ verdict: Verdict) -> Answer { .byStatus(verdict, accepted: .empty) }
}

/// The content of a request of Mollie.
public struct MollieEvidence: Sendable {
    enum Content: Sendable {
        /// A signed body; nil if it is no JSON.
        case event(JSONValue?, [UInt8])
        /// The id of a payment, perhaps from a stranger.
        case payment(String)
    }

    let content: Content

    static func event(_ root: JSONValue?, _ body: [UInt8]) -> MollieEvidence {
        MollieEvidence(content: .event(root, body))
    }

    static func payment(_ id: String) -> MollieEvidence { MollieEvidence(content: .payment(id)) }
}

import Bytes
import Cryptography
import Payments

/// PayPal's REST webhooks (the old IPN with its `VERIFIED` postback is another protocol).
///
/// - **Verification:** RSASSA-PKCS1-v1_5 with SHA-256 over `<transmission id>|<transmission
///   time>|<webhook id>|<CRC-32 of the raw body, unsigned decimal>`, by the key of the certificate
///   at `paypal-cert-url`. Its host and path are PayPal's, its chain ends at a trusted root, and
///   its only name is PayPal's for these messages.
/// - **Weak point:** 32 bits bind the body, so whoever saw one transmission can write another body
///   for its headers. A transmission id is accepted with one body only (``claim(_:)``). With an
///   `inquiry`, successes are `unconfirmed` until an answer of `PayPalInquirer` reports them.
/// - **Answer:** any `2xx`; ours is `200` with an empty body. `503` while there is no certificate.
/// - **Retries:** up to 25 in three days, without order; no pauses are published. Whether they keep
///   id and time is not known, so four days are tolerated, and repetitions are known by identity.
/// - **Identity:** the event's id, `WH-…`.
public struct PayPal: Provider {
    public typealias Evidence = PayPalEvidence

    /// The webhook id of PayPal's simulator, whose events are signed with the live certificate.
    static let simulatorID = "WEBHOOK_ID"
    static let certificatePath = "/v1/notifications/certs/"

    private let webhookIDs: [String]
    private let tolerance: TimeTolerance
    private let mode: EndpointSettings.Mode
    private let reference: [PayPalReference]
    /// Whether the endpoint's `inquiry` confirms what 32 bits bind.
    private let isAsked: Bool
    private let certificates: PublishedCertificates
    private let endpoint: String
    private let transmissions: TransmissionMemory

    /// - Throws: ``SettingsError`` without a webhook id, and for values of another form.
    package init(settings: EndpointSettings) throws(SettingsError) {
        func names(_ setting: Setting<[String]>, else names: [String]) throws(SettingsError)
            -> [String]
        {
            let names = settings[setting] ?? names
            guard !names.isEmpty,
                names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isNameByte) })
            else { throw setting.error("it lists at least one, of letters, digits, - _ and .") }
            return names
        }
        mode = settings[Self.mode] ?? .live
        webhookIDs = try names(Self.webhookIDs, else: [])
        reference = try PayPalReference.list(settings)
        let hosts = try names(Self.certificateHosts, else: Self.hosts(mode))
        let own = String(decoding: PackageResources.paypal_pem, as: UTF8.self)
        do throws(KeyError) {
            certificates = try PublishedCertificates(
                hosts: hosts, path: Self.certificatePath,
                name: settings[Self.certificateName] ?? Self.certificateName(mode),
                authorities: settings[Self.caFile] ?? own,
                includesSystem: settings[Self.caFile] == nil, cache: settings.memory.certificates)
        } catch {
            throw Self.caFile.error("it holds no certificate in PEM")
        }
        isAsked = settings[Self.clientID] != nil
        tolerance = TimeTolerance(seconds: Int64(settings[Self.tolerance] ?? 345_600))
        endpoint = settings.name
        transmissions = settings.memory.transmissions
    }

    public func prepare(_ delivery: SignedRequest) async {
        guard let headers = try? headers(delivery) else { return }
        await certificates.obtain(headers.url, at: delivery.received)
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<PayPalEvidence> {
        let headers = try headers(delivery)
        let keys = try certificates.keys(headers.url, at: delivery.received)
        guard let signature = Base64.decode(strict: headers.signature) else {
            throw .unauthenticated("signature_encoding", "the signature is not Base64")
        }
        guard keys.contains(where: { $0.modulusBytes == signature.count }) else {
            throw .unauthenticated(
                "signature_length", "the signature does not have the length of the key")
        }
        let crc = CRC32.checksum(delivery.body)
        for (index, id) in webhookIDs.enumerated() {
            let text = headers.signed + Array("\(id)|\(crc)".utf8)
            guard
                keys.contains(where: {
                    $0.verifySHA256(message: [text[...]], signature: signature)
                })
            else { continue }
            return Verified(
                evidence: PayPalEvidence(
                    body: delivery.body, transmission: headers.id,
                    isSimulated: id == Self.simulatorID), key: String(index + 1))
        }
        throw .unauthenticated(
            "signature_mismatch",
            "it was signed for another webhook id than this endpoint's, or its body was changed")
    }

    public func claim(_ evidence: PayPalEvidence) throws(Refusal) {
        let id = [Array(endpoint.utf8), evidence.transmission]
        guard transmissions.admits(evidence.body, under: id) else {
            throw .unauthenticated(
                "transmission_reused", "its transmission id came before with another body")
        }
    }

    public var sendsOneEvent: Bool { true }

    public func interpret(_ evidence: PayPalEvidence) -> Notification {
        PayPalInterpretation.notification(
            evidence, reference: reference, mode: mode, isAsked: isAsked)
    }

    public func answer(_ verdict: Verdict) -> Answer { .plainText(verdict, accepted: .empty) }

    /// The headers of what may be a transmission of PayPal's; `signed` is the text up to the
    /// webhook id.
    private func headers(
        _ delivery: SignedRequest
    ) throws(Refusal) -> (id: [UInt8], signed: [UInt8], signature: ArraySlice<UInt8>, url: String) {
        let id = Array(try delivery.single("paypal-transmission-id"))
        let sent = try delivery.single("paypal-transmission-time")
        let signature = try delivery.single("paypal-transmission-sig")
        let url = String(decoding: try delivery.single("paypal-cert-url"), as: UTF8.self)
        guard try delivery.single("paypal-auth-algo").spells("SHA256withRSA") else {
            throw .unauthenticated(
                "signature_algorithm_unknown", "paypal-auth-algo is not SHA256withRSA")
        }
        // No time holds a separator, so the seams of the signed text cannot be moved.
        guard let time = Timestamp(iso8601: sent.span) else {
            throw .unauthenticated("timestamp_malformed", "the signed time is not a time")
        }
        try tolerance.check(time, received: delivery.received)
        try certificates.check(url)
        return (id, id + [UInt8(ascii: "|")] + sent + [UInt8(ascii: "|")], signature, url)
    }
}

/// The signed body, as far as 32 bits bind it.
public struct PayPalEvidence: Sendable, Equatable {
    let body: [UInt8]
    var transmission: [UInt8] = []
    /// Whether PayPal's simulator made it up.
    var isSimulated = false
}

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
///   for its headers. A transmission id is accepted with one body only (``claim(_:)``).
/// - **Answer:** any `2xx`; ours is `200` with an empty body. `503` while there is no certificate.
/// - **Retries:** up to 25 in three days, without order; no pauses are published. Whether they keep
///   id and time is not known, so four days are tolerated, and repetitions are known by identity.
/// - **Identity:** the event's id, `WH-…`.
/// - **Settings:** `webhookIDs`, `mode`, `certificateHosts`, `certificateName`, `toleranceSeconds`,
///   `reference`, `caFile`.
package struct PayPal: Provider {
    package typealias Evidence = PayPalEvidence

    /// The webhook id of PayPal's simulator, whose events are signed with the live certificate.
    static let simulatorID = "WEBHOOK_ID"

    private let webhookIDs: [String]
    private let hosts: [String]
    private let certificateName: String
    private let tolerance: TimeTolerance
    private let mode: EndpointSettings.Mode
    private let reference: [PayPalInterpretation.ReferenceName]
    private let memory: ProviderMemory
    private let endpoint: String
    private let trust: CertificateTrust
    /// Certificates of PayPal's own in `caFile`: with them none is fetched.
    private let given: [Certificate]
    private let keys = TrustedKeys()

    /// - Throws: ``SettingsError`` without a webhook id, and for values of another form.
    package init(settings: EndpointSettings) throws(SettingsError) {
        webhookIDs = settings[Self.webhookIDs] ?? []
        guard !webhookIDs.isEmpty, webhookIDs.allSatisfy(Self.isName) else {
            throw Self.webhookIDs.error("at least one webhook id is needed, letters and digits")
        }
        mode = settings[Self.mode] ?? .live
        hosts = settings[Self.certificateHosts] ?? Self.hosts(mode)
        guard !hosts.isEmpty, hosts.allSatisfy(Self.isName) else {
            throw Self.certificateHosts.error("write host names alone, such as api.paypal.com")
        }
        certificateName = settings[Self.certificateName] ?? Self.certificateName(mode)
        tolerance = TimeTolerance(seconds: Int64(settings[Self.tolerance] ?? 345_600))
        let words = settings[Self.reference] ?? ["custom_id", "invoice_id"]
        reference = words.compactMap(PayPalInterpretation.ReferenceName.init)
        guard !words.isEmpty, reference.count == words.count else {
            throw Self.reference.error("it lists custom_id, invoice_id or both")
        }
        let authorities = Certificate.all(
            inPEM: settings[Self.caFile]
                ?? String(decoding: PackageResources.paypal_pem, as: UTF8.self))
        guard !authorities.isEmpty else {
            throw Self.caFile.error("it holds no certificate in PEM")
        }
        do throws(KeyError) {
            trust = try CertificateTrust(
                authorities, includesSystem: settings[Self.caFile] == nil)
        } catch {
            throw Self.caFile.error("\(error)")
        }
        let name = certificateName
        given = authorities.filter { Self.isNamed($0, name) }
        memory = settings.memory
        endpoint = settings.name
    }

    package func prepare(_ delivery: SignedRequest) async {
        guard given.isEmpty, let transmission = try? transmission(delivery) else { return }
        let seconds = delivery.received.wholeEpochSeconds
        await memory.certificates.obtain(transmission.url, now: delivery.received) { [self] pem in
            (try? key(of: pem, at: seconds)) != nil
        }
    }

    package func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<PayPalEvidence> {
        let transmission = try transmission(delivery)
        let keys = try keys(transmission.url, at: delivery.received.wholeEpochSeconds)
        guard let signature = Base64.decode(strict: transmission.signature) else {
            throw .unauthenticated("signature_encoding", "the signature is not Base64")
        }
        guard keys.contains(where: { $0.modulusBytes == signature.count }) else {
            throw .unauthenticated(
                "signature_length", "the signature does not have the length of the key")
        }
        let crc = CRC32.checksum(delivery.body)
        for (index, id) in webhookIDs.enumerated() {
            let text = transmission.prefix + Array("\(id)|\(crc)".utf8)
            guard keys.contains(where: { $0.verifySHA256(message: [text[...]], signature: signature) })
            else { continue }
            return Verified(
                evidence: PayPalEvidence(
                    body: delivery.body, transmission: Array(transmission.id),
                    isSimulated: id == Self.simulatorID), key: String(index + 1))
        }
        throw .unauthenticated(
            "signature_mismatch", "it was not signed so for a webhook id of this endpoint")
    }

    package func claim(_ evidence: PayPalEvidence) throws(Refusal) {
        let id = [Array(endpoint.utf8), evidence.transmission]
        guard memory.transmissions.admits(evidence.body, under: id) else {
            throw .unauthenticated(
                "transmission_reused", "its transmission id came before with another body")
        }
    }

    package func interpret(_ evidence: PayPalEvidence) -> Notification {
        PayPalInterpretation.notification(evidence, reference: reference, mode: mode)
    }

    package func answer(_ verdict: Verdict) -> Answer { .plainText(verdict, accepted: .empty) }
}

/// The signed body, as far as 32 bits bind it.
package struct PayPalEvidence: Sendable, Equatable {
    let body: [UInt8]
    var transmission: [UInt8] = []
    /// Whether PayPal's simulator made it up.
    var isSimulated = false
}

extension Timestamp {
    fileprivate var wholeEpochSeconds: Int64 { wholeSeconds.microseconds / 1_000_000 }
}

extension PayPal {
    /// The headers of a transmission that may be one of PayPal's to this endpoint.
    private struct Transmission {
        let id: ArraySlice<UInt8>
        let time: ArraySlice<UInt8>
        let signature: ArraySlice<UInt8>
        let url: String

        /// The signed text up to the webhook id.
        var prefix: [UInt8] { id + [UInt8(ascii: "|")] + time + [UInt8(ascii: "|")] }
    }

    private func transmission(_ delivery: SignedRequest) throws(Refusal) -> Transmission {
        let read = Transmission(
            id: try delivery.single("paypal-transmission-id"),
            time: try delivery.single("paypal-transmission-time"),
            signature: try delivery.single("paypal-transmission-sig"),
            url: String(decoding: try delivery.single("paypal-cert-url"), as: UTF8.self))
        guard try delivery.single("paypal-auth-algo").spells("SHA256withRSA") else {
            throw .unauthenticated(
                "signature_algorithm_unknown", "paypal-auth-algo is not SHA256withRSA")
        }
        guard let time = Timestamp(iso8601: String(decoding: read.time, as: UTF8.self)) else {
            throw .unauthenticated("timestamp_malformed", "the signed time is not a time")
        }
        try tolerance.check(time, received: delivery.received)
        guard hosts.contains(where: { Self.isAddress(read.url, on: $0) }) else {
            throw .unauthenticated(
                "certificate_url_refused",
                "paypal-cert-url is not https://\(hosts[0])\(Self.certificatePath)…")
        }
        return read
    }

    static let certificatePath = "/v1/notifications/certs/"

    private static func isAddress(_ url: String, on host: String) -> Bool {
        let prefix = "https://\(host)\(certificatePath)".utf8
        let id = url.utf8.dropFirst(prefix.count)
        return url.utf8.starts(with: prefix) && (1...80).contains(id.count)
            && id.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }

    /// Letters, digits, `_`, `-` and `.`, as ids and hosts have them.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isLetterOrDigit($0) || "_-.".utf8.contains($0) }
    }

    /// The keys that may have signed: that of the certificate at `url`, or those of `caFile`.
    private func keys(_ url: String, at seconds: Int64) throws(Refusal) -> [RSAPublicKey] {
        if let pem = memory.certificates.certificate(at: url) {
            return [try key(of: pem, at: seconds)]
        }
        var found: [RSAPublicKey] = []
        var refusal = Refusal.unavailable(
            "certificate_unavailable", "the certificate at paypal-cert-url could not be had yet")
        for certificate in given {
            do throws(Refusal) { found.append(try key(of: certificate, at: seconds).key) } catch {
                refusal = error
            }
        }
        guard !found.isEmpty else { throw refusal }
        return found
    }

    private func key(of pem: String, at seconds: Int64) throws(Refusal) -> RSAPublicKey {
        if let known = keys.key(pem, at: seconds) { return known }
        guard let certificate = Certificate.all(inPEM: pem).first else {
            throw .unauthenticated("certificate_unreadable", "the URL gave no certificate in PEM")
        }
        let (key, validity) = try key(of: certificate, at: seconds)
        keys.add(key, of: pem, validity: validity)
        return key
    }

    private func key(
        of certificate: Certificate, at seconds: Int64
    ) throws(Refusal) -> (key: RSAPublicKey, validity: ClosedRange<Int64>) {
        let verdict = trust.judge(certificate, at: seconds)
        if case .untrusted = verdict {
            throw .unauthenticated("certificate_untrusted", "no trusted authority issued it")
        }
        guard Self.isNamed(certificate, certificateName) else {
            throw .unauthenticated("certificate_name", "it is not one of \(certificateName)")
        }
        guard case .trusted(let validity) = verdict else {
            throw .unauthenticated("certificate_expired", "it was not valid at this time")
        }
        guard let key = try? certificate.publicKey() else {
            throw .unauthenticated("certificate_unreadable", "it holds no usable RSA key")
        }
        return (key, validity)
    }

    /// Whether `name` is the certificate's only name.
    private static func isNamed(_ certificate: Certificate, _ name: String) -> Bool {
        [certificate.hostNames, certificate.commonNames].allSatisfy {
            $0.count == 1 && $0[0].utf8.elementsEqual(name.utf8)
        }
    }
}

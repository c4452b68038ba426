import Cryptography
import Payments

/// Antom (Ant International; formerly Alipay Global).
///
/// - **Verification:** headers `client-id`, `request-time` and `signature`. RSASSA-PKCS1-v1_5 with
///   SHA-256 over `POST <path>` LF `<client-id>.<request-time>.<body>`, all as received. For a URL
///   with a query, a genuine signature was seen to cover the bare path, although the documentation
///   includes the query. Both texts are tried, and nothing in the query is read.
/// - **Keys:** `keyVersion` selects the endpoint's key that is tried first. The others are tried
///   after it, because Antom publishes no overlap period for a key rotation.
/// - **Answer:** `200` with `resultStatus` `S` for everything that is stored, including failed
///   payments. `503` with `U` where it is not stored, `401` or `400` with `F` where it is refused.
/// - **Retries:** 2 min, 10 min, 10 min, 1 h, 2 h, 6 h, 15 h; the sandbox does not retry.
/// - **Identity:** the kind, Antom's id of the object, and its status; never the time or the
///   signature.
/// - **Settings:** `clientID`, `keys`, `capture`. No message carries the capture mode: with
///   `manual`, a successful payment result is an authorisation, and only a capture reports that
///   money was taken.
public struct Antom: Provider {
    public typealias Evidence = AntomEvidence

    let clientID: [UInt8]

    /// The public keys in the order of the configuration.
    let keys: [(version: Int, key: RSAPublicKey)]
    private let capture: EndpointSettings.Capture

    /// - Throws: ``SettingsError`` for a missing client id, no key, an unusable key (for example a
    ///   private one), or a version that is given twice.
    package init(settings: EndpointSettings) throws(SettingsError) {
        guard let clientID = settings[Self.clientID], !clientID.isEmpty else {
            throw Self.clientID.error("Antom's client id is needed")
        }
        let settingsKeys = settings.keys
        guard !settingsKeys.isEmpty else {
            throw SettingRow.keys.error("at least one public key of Antom is needed")
        }
        var keys: [(version: Int, key: RSAPublicKey)] = []
        for (index, setting) in settingsKeys.enumerated() {
            guard !keys.contains(where: { $0.version == setting.version }) else {
                throw SettingsError(
                    key: "keys[\(index)].version",
                    message: "version \(setting.version) is given twice")
            }
            do throws(KeyError) {
                keys.append((setting.version, try RSAPublicKey(text: setting.text)))
            } catch {
                throw SettingsError(key: "keys[\(index)].publicKey", message: "\(error)")
            }
        }
        self.clientID = Array(clientID.utf8)
        self.keys = keys
        capture = settings[Self.capture] ?? .automatic
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<AntomEvidence> {
        let time = try delivery.single("request-time")
        let version = try verify(delivery, time: time)
        return Verified(evidence: AntomEvidence(body: delivery.body), key: version)
    }

    /// Verifies a notification or an answer and returns the version of the key that signed it.
    ///
    /// - Parameter time: The signed time of the request or of the answer.
    func verify(_ delivery: SignedRequest, time: ArraySlice<UInt8>) throws(Refusal) -> String {
        let sentID = try delivery.single("client-id")
        let header = try AntomSignatureHeader(parsing: delivery.single("signature"))
        // The client id is not secret, so the comparison need not be constant-time.
        guard sentID.elementsEqual(clientID) else {
            throw .unauthenticated(
                "client_id_mismatch", "the client-id header is not this endpoint's clientID")
        }
        // The signed text does not mark where the time ends, and the time is opaque. A time may not
        // contain `{`, so the start of a JSON body cannot be moved into it.
        guard time.count <= 64, !time.contains(UInt8(ascii: "{")) else {
            throw .unauthenticated(
                "request_time_malformed", "the signed time is not a valid time")
        }
        let content = AntomSignedContent(delivery, clientID: sentID, time: time)
        guard let version = verifyingVersion(header, content) else {
            throw keys.contains { $0.key.modulusBytes == header.signature.count }
                ? .unauthenticated("signature_mismatch", "no key of this endpoint verifies it")
                : .unauthenticated(
                    "signature_length", "the signature does not have the length of the key")
        }
        return String(version)
    }

    public var sendsOneEvent: Bool { true }

    public func interpret(_ evidence: AntomEvidence) -> Notification {
        AntomInterpretation.notification(body: evidence.body, capture: capture)
    }

    public func answer(_ verdict: Verdict) -> Answer {
        switch verdict {
        case .accepted: Self.success
        case .refused(let refusal): refusal.kind == .malformed ? Self.malformed : Self.refused
        case .unavailable: Self.unavailable
        }
    }

    /// Returns the version of the key that verifies; the announced one is tried first.
    private func verifyingVersion(
        _ header: AntomSignatureHeader, _ content: AntomSignedContent
    ) -> Int? {
        if let announced = keys.first(where: { $0.version == header.keyVersion }),
            content.isSigned(by: announced.key, header.signature)
        {
            return announced.version
        }
        let other = keys.first {
            $0.version != header.keyVersion && content.isSigned(by: $0.key, header.signature)
        }
        return other?.version
    }
}

extension Antom {
    /// The fixed success form of Antom's page; it need not be signed.
    static let success = answer(
        200, #"{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}"#)

    static let refused = answer(
        401,
        #"{"result":{"resultCode":"INVALID_SIGNATURE","resultStatus":"F","#
            + #""resultMessage":"The signature is invalid."}}"#)

    static let malformed = answer(
        400,
        #"{"result":{"resultCode":"PARAM_ILLEGAL","resultStatus":"F","#
            + #""resultMessage":"The request is malformed."}}"#)

    static let unavailable = answer(
        503,
        #"{"result":{"resultCode":"UNKNOWN_EXCEPTION","resultStatus":"U","#
            + #""resultMessage":"The notification could not be stored."}}"#)

    private static func answer(_ status: Int, _ body: String) -> Answer {
        Answer(status: status, contentType: "application/json", body: Array(body.utf8))
    }
}

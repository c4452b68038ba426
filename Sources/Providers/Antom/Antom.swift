import Cryptography
import Payments

/// Antom (Ant International; formerly Alipay Global).
///
/// - **Verification:** headers `client-id`, `request-time` and `signature`. RSASSA-PKCS1-v1_5 with
///   SHA-256 over `POST <path>` LF `<client-id>.<request-time>.<body>`, everything as received. A
///   genuine signature to a URL with a query was seen to cover the bare path while the
///   documentation counts the query in, so both contents are tried, and nothing in the query is
///   read.
/// - **Keys:** `keyVersion` says with which of the endpoint's keys to begin; the others are tried
///   after it, because no overlap is published for a rotation.
/// - **Answer:** `200` with `resultStatus` `S` for everything that is kept, a failed payment too.
///   `503` with `U` where it is not kept, `401` or `400` with `F` where it is refused.
/// - **Retries:** 2 min, 10 min, 10 min, 1 h, 2 h, 6 h, 15 h; the sandbox does not retry.
/// - **Identity:** the kind, Antom's id of the thing, and its status; never the time or the
///   signature.
/// - **Settings:** `clientID`, `keys`; `capture`, which is no part of any message: with `manual`, a
///   successful payment result is an authorisation, and money is taken when a capture says so.
package struct Antom: Provider {
    package typealias Evidence = AntomEvidence

    let clientID: [UInt8]

    /// In the order of the configuration.
    let keys: [(version: Int, key: RSAPublicKey)]
    private let capture: EndpointSettings.Capture

    /// - Throws: ``SettingsError`` for a missing client id, no key, a key that cannot be used (a
    ///   private one above all), or one version given twice.
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

    package func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<AntomEvidence> {
        let time = try delivery.single("request-time")
        let version = try verify(delivery, time: time)
        return Verified(evidence: AntomEvidence(body: delivery.body), key: version)
    }

    /// The version of the key that signed `delivery` at `time`, which is a request's time or an
    /// answer's.
    func verify(_ delivery: SignedRequest, time: ArraySlice<UInt8>) throws(Refusal) -> String {
        let sentID = try delivery.single("client-id")
        let header = try AntomSignatureHeader(parsing: delivery.single("signature"))
        // The client id is no secret, so an ordinary comparison will do.
        guard sentID.elementsEqual(clientID) else {
            throw .unauthenticated(
                "client_id_mismatch", "the client-id header is not this endpoint's clientID")
        }
        // Nothing marks where the time ends in the signed text, and the time is opaque. But no time
        // holds what a JSON object begins with, so the seam cannot be moved into the body.
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

    package var sendsOneEvent: Bool { true }

    package func interpret(_ evidence: AntomEvidence) -> Notification {
        AntomInterpretation.notification(body: evidence.body, capture: capture)
    }

    package func answer(_ verdict: Verdict) -> Answer {
        switch verdict {
        case .accepted: Self.success
        case .refused(let refusal): refusal.kind == .malformed ? Self.malformed : Self.refused
        case .unavailable: Self.unavailable
        }
    }

    /// The version of the key that verifies, the announced one tried first.
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

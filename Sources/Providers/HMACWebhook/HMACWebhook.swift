import Cryptography
import Payments

/// A system that signs its webhooks with an HMAC in a header, and of which ipnd knows nothing but
/// the configuration.
///
/// - **Verification:** HMAC-SHA256 or -SHA512 in the header `hmac.header`, in hex or Base64, after
///   an optional prefix; one, several, or among named parameters (`t=…,v1=…`). It covers the body
///   or a template of id, time, method, path and body (``SignedTemplate``), id and time taken from
///   a header of their own or from a parameter.
/// - **Answer:** `200` with an empty body.
/// - **Identity:** what `fields.identity` points at, and the status; where it is not given, the
///   signed id; where there is none, the body.
/// - **Settings:** `secrets`, `hmac`, `fields`, `toleranceSeconds` (none by default: a late retry
///   is still true, and a replay only a duplicate).
package struct HMACWebhook: Provider {
    package struct Evidence: Sendable, Equatable {
        let body: [UInt8]
        /// The signed id, where the scheme has one.
        let id: String?
    }

    private let secrets: Secrets<HMACKey>
    private let scheme: HMACScheme
    private let fields: FieldMapping
    private let tolerance: TimeTolerance?

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    package init(settings: EndpointSettings) throws(SettingsError) {
        let secrets = try settings.requiredSecrets()
        guard let scheme = settings[Self.scheme] else {
            throw Self.scheme.error("how the provider signs is missing")
        }
        try scheme.check()
        guard let fields = settings[SettingRow.fields] else {
            throw SettingRow.fields.error(
                "`fields`, which maps the body to an order, is missing")
        }
        try fields.check()
        self.scheme = scheme
        self.secrets = Secrets(values: secrets.map { HMACKey(scheme.algorithm, $0) })
        self.fields = fields
        tolerance = try Self.tolerance(settings, scheme)
    }

    package func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<Evidence> {
        let header = try HMACSignatureHeader(delivery.single(scheme.header), scheme)
        let time = try value(scheme.content.timestamp, header, delivery)
        let sentID = try value(scheme.content.id, header, delivery)
        let id: String? = if let sentID { try Self.identifier(sentID) } else { nil }
        let moment: Timestamp? = if let time { try moment(time) } else { nil }
        let content = scheme.content.content(
            method: delivery.method, path: delivery.path, body: delivery.body, id: sentID ?? [],
            timestamp: time ?? [])
        let key = secrets.ordinal { secret in
            let code = secret.code(parts: content)
            return header.signatures.reduce(false) { constantTimeEqual($1, code) || $0 }
        }
        guard let key else { throw .signatureMismatch }
        if let tolerance {
            guard let moment else { throw Self.timestampMalformed }
            try tolerance.check(moment, received: delivery.received)
        }
        return Verified(evidence: Evidence(body: delivery.body, id: id), key: key)
    }

    package func interpret(_ evidence: Evidence) -> Notification {
        MappedInterpretation.notification(
            evidence.body, mapping: fields.chosen(for: evidence.body),
            carriedIdentity: fields.identity.isEmpty ? evidence.id : nil)
    }

    package func answer(_ verdict: Verdict) -> Answer {
        .plainText(verdict, accepted: .empty)
    }

    private func value(
        _ place: SignedTemplate.Place?, _ header: HMACSignatureHeader, _ delivery: SignedRequest
    ) throws(Refusal) -> ArraySlice<UInt8>? {
        switch place {
        case nil: nil
        case .header(let name): try delivery.single(name)
        case .parameter(let name): try header.parameter(name)
        }
    }

    private static func identifier(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> String {
        // A space at an end could be the document's, which may begin or end with one.
        guard bytes.isWord, bytes.first != space, bytes.last != space,
            !bytes.contains(where: beginsDocument),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .unauthenticated("id_malformed", "the signed id is not valid") }
        return text
    }

    /// The signed time; nil where it is in no known form and nothing depends on it.
    ///
    /// Neither id nor time may hold what begins a JSON document: so no part of the body can pass
    /// for theirs. Where both are signed, the time has to be one and may not hold the text between
    /// the two, so that no byte can move from one to the other and make another id of the same
    /// signature.
    private func moment(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> Timestamp? {
        guard !bytes.contains(where: Self.beginsDocument) else { throw Self.timestampMalformed }
        let moment = Timestamp(lenient: String(decoding: bytes, as: UTF8.self))
        if scheme.content.id != nil {
            let isShortNumber = bytes.count < 10 && bytes.allSatisfy { (0x30...0x39).contains($0) }
            let endsEarly =
                scheme.content.literalBehindTimestamp.map { Array(bytes).holds($0) } ?? false
            guard moment != nil, !isShortNumber, !endsEarly else { throw Self.timestampMalformed }
        }
        return moment
    }

    private static let space = UInt8(ascii: " ")

    private static func beginsDocument(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
    }

    private static let timestampMalformed = Refusal.unauthenticated(
        "timestamp_malformed", "the signed time is not valid")

    private static func tolerance(
        _ settings: EndpointSettings, _ scheme: HMACScheme
    ) throws(SettingsError) -> TimeTolerance? {
        guard let seconds = settings[toleranceSeconds] else { return nil }
        guard scheme.content.timestamp != nil, seconds > 0 else {
            throw SettingsError(
                key: "toleranceSeconds",
                message: "it needs a signed time, and more than zero seconds")
        }
        return TimeTolerance(seconds: Int64(seconds))
    }
}

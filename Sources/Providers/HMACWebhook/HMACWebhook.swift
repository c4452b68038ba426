import Cryptography
import Payments

/// A system that signs its webhooks with an HMAC in a header, and of which ipnd knows nothing but
/// the configuration.
///
/// - **Verification:** HMAC-SHA256, -SHA512 or -SHA1 in the header `hmac.header` or the body, in
///   hex or Base64, after an optional prefix; one, several, or among named parameters
///   (`t=…,v1=…`). It covers the body or a template of the request's parts (``SignedTemplate``),
///   id and time taken from a header of their own or from a parameter.
/// - **Answer:** `200` with an empty body.
/// - **Identity:** what `fields.identity` points at, and the status; where it is not given, the
///   signed id; where there is none, the body.
/// - **Settings:** `secrets`, `hmac`, `fields`, `toleranceSeconds` (none by default: a late retry
///   is still true, and a replay only a duplicate).
public struct HMACWebhook: Provider, MeasuredProvider {
    private let provider: RecipeProvider

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    package init(settings: EndpointSettings) throws(SettingsError) {
        let parts = try Self.parts(settings)
        provider = try RecipeProvider(
            .signature(parts.scheme), fields: parts.fields, settings: settings)
    }

    package var verificationLimits: VerificationLimits { provider.verificationLimits }
    public var idsAreOfReference: Bool { provider.idsAreOfReference }

    public func verify(
        _ delivery: SignedRequest
    ) throws(Refusal) -> Verified<RecipeProvider.Evidence> {
        try verifyWithinLimits(delivery)
    }

    package func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<RecipeProvider.Evidence> {
        try provider.verify(delivery, work: &work)
    }

    public func interpret(_ evidence: RecipeProvider.Evidence) -> Notification {
        provider.interpret(evidence)
    }

    public func notifications(in evidence: RecipeProvider.Evidence) -> [Notification] {
        provider.notifications(in: evidence)
    }

    public func answer(_ verdict: Verdict) -> Answer { provider.answer(verdict) }

    /// The scheme and the fields of the endpoint's configuration.
    ///
    /// - Throws: ``SettingsError`` where a part is missing.
    static func parts(
        _ settings: EndpointSettings
    ) throws(SettingsError) -> (scheme: HMACScheme, fields: FieldMapping) {
        // Of two mistakes, the first in the order of the settings is told.
        _ = try settings.requiredSecrets()
        guard let scheme = settings[Self.scheme] else {
            throw Self.scheme.error("how the provider signs is missing")
        }
        try scheme.check()
        guard let fields = settings[SettingRow.fields] else {
            throw SettingRow.fields.error(
                "`fields`, which maps the body to an order, is missing")
        }
        return (scheme, fields)
    }
}

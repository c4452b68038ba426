import Providers

extension Explainer {
    /// Finds out why a request does not verify: the usual mistakes of keys, proxies and frameworks,
    /// each tried with the provider's own verification.
    ///
    /// ```swift
    /// let explanation = try Explainer.explain(
    ///     request, provider: "hmac", settings: settings, otherKeys: ["old": oldSecret])
    /// for cause in explanation.findings { print(cause.code, cause.sentence, cause.remedy) }
    /// ```
    ///
    /// It takes up to some hundred verifications, so call it for a few requests, never for each
    /// that a stranger may send. No secret appears in the explanation.
    ///
    /// - Parameters:
    ///   - request: The request as it arrived.
    ///   - provider: One of `ProviderRegistry.names`.
    ///   - settings: The endpoint's settings by their keys, as
    ///     `ProviderRegistry.provider(named:settings:)` takes them.
    ///   - publicPath: The path that the provider was given, where a proxy rewrites it.
    ///   - otherKeys: Further secrets or public keys to try, by any names.
    ///   - bytesMax: Bytes of paths and bodies that are tried at most.
    ///   - isTimeUp: Called between trials; it ends the search when it returns true.
    /// - Throws: `SettingsError` for settings with which no request verifies.
    public static func explain(
        _ request: SignedRequest, provider: String, settings: [String: SettingValue],
        publicPath: String? = nil, otherKeys: [String: String] = [:], bytesMax: Int = 64 << 20,
        isTimeUp: () -> Bool = { false }
    ) throws(SettingsError) -> Explanation {
        let (system, endpoint) = try ProviderRegistry.endpoint(named: provider, settings: settings)
        let suspect = Suspect(
            request: request, system: system, settings: endpoint,
            publicPath: publicPath ?? String(decoding: request.path, as: UTF8.self),
            candidates: otherKeys.sorted { $0.key < $1.key }.map {
                Suspect.Candidate(name: $0.key, bytes: Array($0.value.utf8))
            })
        return explain(
            suspect, hypotheses: Hypothesis.all,
            budget: ExplanationBudget(seconds: nil, bytes: bytesMax), keyHint: "",
            isTimeUp: isTimeUp)
    }
}

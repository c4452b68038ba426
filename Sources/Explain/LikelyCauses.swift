import Providers

/// The likeliest causes of a request that no change makes verify, in order, each with the next
/// step. They follow from the reason and from the kind of proof, not from trials.
enum LikelyCauses {
    /// Reasons that mean a missing signature.
    private static let proofIsMissing: Set = [
        "missing_header", "signature_missing", "sign_missing",
    ]

    /// - Parameters:
    ///   - urlPlace: The place of the endpoint's URL in the provider's dashboard.
    ///   - keyHint: How to try another key; empty where there is no way.
    static func of(
        _ refusal: Refusal, _ credential: ProviderDescriptor.Credential, urlPlace: String,
        keyHint: String
    ) -> [String] {
        if proofIsMissing.contains(refusal.reason) {
            return [
                "A proxy removed it: compare the request before the proxy, and let it pass on "
                    + "every header.",
                "The request is not from the provider: a scanner, a browser, or a test of yours.",
                "The provider does not sign this kind of message: see where its dashboard "
                    + "enables signatures, at \(urlPlace).",
            ]
        }
        if refusal.kind == .malformed {
            return [
                "It was cut off or encoded anew on the way: compare Content-Length and body "
                    + "before the proxy.",
                "The dashboard is set to another format or version of messages than the provider "
                    + "documents for this one.",
                "The request is not from the provider.",
            ]
        }
        if refusal.reason.hasSuffix("_mismatch"), refusal.reason != "signature_mismatch",
            refusal.reason != "token_mismatch"
        {
            return [
                "The notification is for another account of the provider: correct the setting, or "
                    + "give the provider the URL of that account's endpoint."
            ]
        }
        let word = credential == .rsaKeyPair ? "public key" : "secret"
        return [
            "The \(word) is another one: of another webhook, account, or of the test instead of "
                + "the live system. Copy it again from where the URL is, at "
                + "\(urlPlace)\(keyHint).",
            "The \(word) was changed at the provider, and the new one is not here: list both until "
                + "the old one is out of use.",
            "A proxy, firewall or framework changes the body in a way that was not tried: compare "
                + "the bytes before it.",
            "The request is not from the provider: someone else sends to this URL. There is "
                + "nothing to do.",
        ]
    }
}

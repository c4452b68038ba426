extension Refusal {
    /// A notification for another account of the provider's. Names both, so that it is plain which
    /// of them is wrong; neither is a secret.
    ///
    /// - Parameters:
    ///   - sent: The account that the notification names; nil where it names none.
    ///   - setting: The endpoint's setting for the account, and its value.
    static func otherAccount(
        _ reason: String, _ sent: (some Collection<UInt8>)?, _ setting: (key: String, value: String)
    ) -> Refusal {
        let shown = sent.map { "names “\(printable($0))”" } ?? "names none"
        return .unauthenticated(
            reason, "the notification \(shown), and \(setting.key) is “\(setting.value)”")
    }

    private static let shownMax = 64

    /// At most 64 characters of a text that anyone may have sent.
    private static func printable(_ bytes: some Collection<UInt8>) -> String {
        let shown = bytes.prefix(shownMax).map { (0x20...0x7E).contains($0) ? $0 : 0x3F }
        return String(decoding: shown, as: UTF8.self) + (bytes.count > shownMax ? "…" : "")
    }
}

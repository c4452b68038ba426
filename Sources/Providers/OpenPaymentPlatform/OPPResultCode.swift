/// A result code of the Open Payment Platform, `000.100.110`, and the groups that the platform
/// sorts codes into.
struct OPPResultCode: Sendable, Equatable {
    let text: String

    /// What a code says about the money. Groups overlap, so their order here is the order in which
    /// they are tried: pending before rejections (`100.400.500` is in both), and what is no payment
    /// before success (`000.310.100` is in both).
    enum Meaning: Sendable, Equatable {
        case pending
        /// The transaction took place. Some of these the platform wants looked at, but the money
        /// has moved.
        case success
        /// Something succeeded, but not a transfer: an authentication, a risk check, an account
        /// update.
        case checkOnly
        case chargeback
        case rejected
        case unknown
    }

    var meaning: Meaning {
        if isIn("pending-session") || isIn("pending-days") { return .pending }
        if Self.checks.contains(where: { $0.matches(text) }) { return .checkOnly }
        if isIn("success") || isIn("success-review") { return .success }
        if isIn("chargeback") { return .chargeback }
        return Self.groups.contains { $0.patterns.contains { $0.matches(text) } }
            ? .rejected : .unknown
    }

    /// "Request successfully processed" in one of the three test modes: no money, however
    /// successful.
    var isTestMode: Bool {
        ["000.100.110", "000.100.111", "000.100.112"].contains(text)
    }

    /// Successful, "please review manually": fraud suspected, an address or a security code that
    /// does not match, an answer that came late.
    var asksForReview: Bool { isIn("success-review") }

    /// The documented groups that hold this code.
    var groupNames: [String] {
        Self.groups.filter { $0.patterns.contains { $0.matches(text) } }.map(\.name)
    }

    private func isIn(_ name: String) -> Bool {
        Self.groups.first { $0.name == name }?.patterns.contains { $0.matches(text) } ?? false
    }

    /// Of the group "success": authenticated (`000.400.110`, `.120`), risk check passed
    /// (`000.300.1`), account updated (`000.310`).
    private static let checks: [OPPCodePattern] = ["000.400.[1][12]0", "000.300.1", "000.310."]
}

/// Why a delivery was turned away before anything in it was believed.
package struct Refusal: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The proof is missing, wrong, or for somebody else: 401.
        case unauthenticated
        /// It cannot be read far enough to look for the proof: 400.
        case malformed
    }

    package let kind: Kind

    /// The reason code in snake_case: the same in the log line, the metric and the rejection log.
    package let reason: String

    /// For people. Never holds a secret, nor the value that a signature should have had.
    package let detail: String

    package init(kind: Kind, reason: String, detail: String) {
        self.kind = kind
        self.reason = reason
        self.detail = detail
    }

    package static func unauthenticated(_ reason: String, _ detail: String) -> Refusal {
        Refusal(kind: .unauthenticated, reason: reason, detail: detail)
    }

    package static func malformed(_ reason: String, _ detail: String) -> Refusal {
        Refusal(kind: .malformed, reason: reason, detail: detail)
    }
}

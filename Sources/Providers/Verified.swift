/// What a signature proved, and which key proved it.
package struct Verified<Evidence: Sendable>: Sendable {
    package let evidence: Evidence

    /// The key or secret that verified: its version where the provider numbers them, else its place
    /// in the endpoint's list, counted from 1. Written to the record, so that a rotation can be
    /// watched to its end.
    package let key: String

    package init(evidence: Evidence, key: String) {
        self.evidence = evidence
        self.key = key
    }
}

/// One genuine notification in our words, whatever the provider calls things.
package struct Notification: Sendable, Equatable {
    /// Identity within the endpoint, canonical text made by the provider's rules: same id, same
    /// event.
    package var id: String
    /// `payment`, `capture`, `refund`, `dispute`; other kinds verbatim in `snake_case`.
    package var kind: String
    /// One of our status words, or the provider's own word when it is none of them.
    package var status: String
    /// When it happened, by the provider's word.
    package var occurred: Timestamp?
    /// The merchant's order reference.
    package var reference: String?
    /// The provider's transaction id of the attempt.
    package var transaction: String?
    package var effect: Effect
    package var flags: [Flag]

    package init(
        id: String, kind: String, status: String, occurred: Timestamp? = nil,
        reference: String? = nil, transaction: String? = nil, effect: Effect = .none,
        flags: [Flag] = []
    ) {
        self.id = id
        self.kind = kind
        self.status = status
        self.occurred = occurred
        self.reference = reference
        self.transaction = transaction
        self.effect = effect
        self.flags = flags
    }
}

/// One genuine notification in our words, whatever the provider calls things.
package struct Notification: Sendable, Equatable {
    /// Identity within the endpoint, canonical text made by the provider's rules: same id, same
    /// event.
    package var id: String
    /// `payment`, `capture`, `refund`, `dispute`, `reversal`; other kinds verbatim in `snake_case`.
    package var kind: String
    /// One of our status words, or the provider's own word when it is none of them.
    package var status: String
    /// When it happened, by the provider's word.
    package var occurred: Timestamp?
    /// The merchant's order reference.
    package var reference: String?
    /// A reference of the operation's own, where the provider says by an id to which payment the
    /// operation belongs: it finds the order and never decides which one it is.
    package var alias: String?
    /// The provider's id of the attempt; of an operation the id that it refers to: the payment's, a
    /// capture's, a refund's.
    package var transaction: String?
    package var effect: Effect
    /// How much a payment says to have been refunded of it so far: a bound, no refund.
    package var refundedAtLeast: Money?
    /// Why it failed, by the provider's own result code and message.
    package var reason: Reason?
    package var flags: [Flag]

    package init(
        id: String, kind: String, status: String, occurred: Timestamp? = nil,
        reference: String? = nil, alias: String? = nil, transaction: String? = nil,
        effect: Effect = .none, refundedAtLeast: Money? = nil, reason: Reason? = nil,
        flags: [Flag] = []
    ) {
        self.id = id
        self.kind = kind
        self.status = status
        self.occurred = occurred
        self.reference = reference
        self.alias = alias
        self.transaction = transaction
        self.effect = effect
        self.refundedAtLeast = refundedAtLeast
        self.reason = reason
        self.flags = flags
    }
}

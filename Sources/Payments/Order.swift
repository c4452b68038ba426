/// Everything that was reported about one order: facts only. What the order *is* follows from them
/// (`Order+Rules.swift`), so the order of arrival cannot matter.
package struct Order: Sendable, Equatable {
    /// The merchant's reference; nil while the facts are known under a transaction only.
    package internal(set) var reference: String?
    /// By transaction id, sorted. Every transaction that any fact names is here.
    package internal(set) var attempts: [Attempt] = []
    /// By refund id, sorted; refunds that failed are listed too.
    package internal(set) var refunds: [Refund] = []
    /// By dispute id, sorted.
    package internal(set) var disputes: [Dispute] = []
    /// Flags that came with notifications, and `conflict` when the store marked one. Not the
    /// derived ones.
    package internal(set) var markedFlags = FlagSet()
    /// What the merchant registered, if it did.
    package internal(set) var expected: Expectation?

    /// An order of which nothing is known yet.
    package init(reference: String) {
        self.reference = reference
    }

    /// The place for facts that name a transaction and no reference, until `merging(_:)` joins
    /// them.
    package init(unjoined transaction: String) {
        attempts = [Attempt(transaction: transaction)]
    }

    /// An order that nothing names: for a refund or dispute that names neither reference nor
    /// transaction, and for what is read from disk.
    package init() {}

    /// Every transaction id that a fact of this order names, sorted by bytes.
    package var transactions: [String] {
        attempts.map(\.transaction).filter { !$0.isEmpty }
    }
}

/// Everything that was reported about one order: facts only. What the order *is* follows from them
/// (`Order+Rules.swift`), so the order of arrival cannot matter.
package struct Order: Sendable, Equatable {
    /// The merchant's references that find this order, sorted by bytes; nearly always one. Which of
    /// them is the order's own follows from their roles (`reference`).
    package internal(set) var references: [OrderReference] = []
    /// By transaction id, sorted.
    package internal(set) var attempts: [Attempt] = []
    /// By refund id, sorted; refunds that failed are listed too.
    package internal(set) var refunds: [Refund] = []
    /// Refunds whose words allow several readings, in an order of their own.
    package internal(set) var unclearRefunds: [UnclearRefund] = []
    /// By dispute id, sorted.
    package internal(set) var disputes: [Dispute] = []
    /// By the id of the undoing, sorted.
    package internal(set) var reversals: [Reversal] = []
    /// Provider ids that belong to the order and of which nothing else is known, sorted by bytes.
    package internal(set) var mentions: [Mention] = []
    /// The greatest sum that a payment said to have been refunded of it so far: no refund, but what
    /// the refunds must come to at least.
    package internal(set) var refundedAtLeast: Money?
    /// Flags that came with notifications, and `conflict` when the store marked one. Not the
    /// derived ones.
    package internal(set) var markedFlags = FlagSet()
    /// What the merchant registered, if it did.
    package internal(set) var expected: Expectation?
    /// What a person decided when the order was in `review`, if one did.
    package internal(set) var resolution: Resolution?

    /// Most facts that one order holds (`limits.orderFactsMax`). What comes beyond it is kept in
    /// the journal and not added up: the order is full from then on, in `review`, and says
    /// `too_many_events`.
    package static let factsMaxDefault = 256

    /// An order of which nothing is known yet.
    package init() {}

    /// An order of which nothing but its reference is known.
    package init(reference: String) {
        references = [OrderReference(reference, .payment)]
    }

    /// Whether more was reported than it holds: it takes no further facts, and its sums are not
    /// told, for those of a part would be taken for the whole.
    package var isFull: Bool { markedFlags.contains(.tooManyEvents) }

    /// How many facts it holds.
    package var factCount: Int {
        references.count + attempts.count + attempts.reduce(0) { $0 + $1.captures.count }
            + refunds.count + unclearRefunds.count + disputes.count + reversals.count
            + mentions.count
    }

    /// A provider id of which nothing is known but that it belongs to the order.
    package struct Mention: Sendable, Equatable, Joinable {
        package let id: String
        mutating func join(_ other: Mention) {}
    }
}

/// The provider ids of an order: each of them leads to it.
extension Order {
    /// Whether `id` is one that a fact of this order has or names, by its bytes.
    package func holds(_ id: String) -> Bool {
        names(id) || hasOperation(id)
    }

    /// Whether a fact of this order refers to `id`: whatever has this id of its own belongs here.
    package func names(_ id: String) -> Bool {
        func isIt(_ named: String?) -> Bool { named.map { utf8Order($0, id) == 0 } ?? false }
        return attempts.index(id: id) != nil || mentions.index(id: id) != nil
            || refunds.contains { isIt($0.transaction) }
            || disputes.contains { isIt($0.transaction) }
            || reversals.contains { isIt($0.transaction) }
    }

    /// Every provider id that a fact of this order has or names; some may come twice.
    package var ids: [String] {
        var ids = attempts.map(\.transaction) + attempts.flatMap { $0.captures.map(\.id) }
        ids += refunds.map(\.id) + refunds.compactMap(\.transaction)
        ids += unclearRefunds.map(\.id)
        ids += disputes.map(\.id) + disputes.compactMap(\.transaction)
        ids += reversals.map(\.id) + reversals.compactMap(\.transaction)
        ids += mentions.map(\.id)
        return ids.filter { !$0.isEmpty }
    }

    /// The ids of its payments, and those that its operations refer to; some may come twice.
    package var paymentIDs: [String] {
        var ids = attempts.map(\.transaction) + refunds.compactMap(\.transaction)
        ids += disputes.compactMap(\.transaction) + reversals.compactMap(\.transaction)
        ids += mentions.map(\.id)
        return ids.filter { !$0.isEmpty }
    }

    /// Where an order without a reference is kept: under the least by bytes of the ids that its
    /// facts refer to. No other order has any of these; an id of an operation's own, another one
    /// may have, too. Nil when it has none.
    package var leastID: String? {
        if attempts.count == 1, refunds.isEmpty, disputes.isEmpty, reversals.isEmpty,
            mentions.isEmpty, unclearRefunds.isEmpty, attempts[0].captures.isEmpty,
            !attempts[0].transaction.isEmpty
        {
            return attempts[0].transaction
        }
        let named = paymentIDs
        return (named.isEmpty ? ids : named).min { utf8Order($0, $1) < 0 }
    }
}

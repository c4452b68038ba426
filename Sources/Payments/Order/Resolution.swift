import Cryptography

/// A person's decision about an order in `review`: its status and the captured and refunded sums.
package struct Settlement: Sendable, Equatable {
    /// Never `review`.
    package var status: OrderStatus
    /// The captured sum; nil if no currency is known.
    package var captured: Money?
    package var refunded: Money?

    package init(status: OrderStatus, captured: Money?, refunded: Money?) {
        self.status = status
        self.captured = captured
        self.refunded = refunded
    }
}

/// The resolution of a `review` by a person. It covers the facts that the order had then; any
/// further fact puts the order in `review` again.
///
/// | since | the resolution |
/// |---|---|
/// | nothing, or what the order had already | holds |
/// | an alias, an id, a reason of no new report | holds |
/// | any new report, amount, refund, dispute, reference of a payment | is reopened |
/// | another report that puts an order into `review`, even without a new fact | is overruled |
/// | the order was merged with another that has facts | is overruled |
///
/// The first three rows follow from `basis`, which is derived from the facts and so independent of
/// the order of arrival. The last two set ``isOverruled``, which is also the same in any order.
package struct Resolution: Sendable, Equatable {
    /// Sequence number of its record.
    package var sequence: UInt64
    package var settlement: Settlement
    /// The ``Order/factDigest`` of the order that the person saw.
    package var basis: [UInt8]
    /// The person, by the name of the API token.
    package var by: String
    package var resolved: Timestamp
    /// The reason in the person's words.
    package var reason: String
    /// Whether a later report put the order into `review` again without changing a fact.
    package internal(set) var isOverruled = false

    package init(
        sequence: UInt64, settlement: Settlement, basis: [UInt8], by: String, resolved: Timestamp,
        reason: String
    ) {
        self.sequence = sequence
        self.settlement = settlement
        self.basis = basis
        self.by = by
        self.resolved = resolved
        self.reason = reason
    }

    /// Length of `basis` in bytes.
    package static let basisBytes = 16
}

extension Order {
    /// A hash of every fact that a sum or status is derived from. Orders with the same hash have
    /// the same facts. It is written to records, so it must never change for the same facts.
    package var factDigest: [UInt8] {
        var facts = self
        // Drop names that only find the order, and flags that need no review.
        facts.references.removeAll { $0.role < .payment }
        facts.mentions = []
        facts.markedFlags = markedFlags.intersection(.reviewing)
        facts.expected = expected.map { Expectation(amount: $0.amount) }
        facts.resolution = nil
        return Array(SHA256.hash(facts.encoded()).prefix(Resolution.basisBytes))
    }

    /// Whether a person has resolved the order with its present facts.
    package var isResolved: Bool {
        guard let resolution, !resolution.isOverruled else { return false }
        return resolution.basis == factDigest
    }

    /// Returns this order with a resolution, which replaces any earlier one.
    package func resolving(_ resolution: Resolution) -> Order {
        var order = self
        order.resolution = resolution
        return order
    }

    /// Overrules the resolution after a report that puts an order into `review`, even a repeated
    /// one.
    mutating func overruleResolution() {
        if hasRareFacts { resolution?.isOverruled = true }
    }

    /// Returns the resolution of this order merged with `other`.
    func mergedResolution(_ other: Order) -> Resolution? {
        guard var mine = resolution else {
            guard var theirs = other.resolution else { return nil }
            theirs.isOverruled = theirs.isOverruled || !isBlank
            return theirs
        }
        guard let theirs = other.resolution else {
            mine.isOverruled = mine.isOverruled || !other.isBlank
            return mine
        }
        var last = mine.sequence >= theirs.sequence ? mine : theirs
        last.isOverruled =
            mine.sequence != theirs.sequence || mine.isOverruled || theirs.isOverruled
        return last
    }

    /// Whether the order has no facts except names.
    private var isBlank: Bool {
        attempts.isEmpty && refunds.isEmpty && unclearRefunds.isEmpty && disputes.isEmpty
            && reversals.isEmpty && refundedAtLeast == nil && expected == nil
            && !markedFlags.intersects(.reviewing)
    }
}

extension OrderSummary {
    /// Returns the summary of an order in `review` that a person has resolved.
    func resolved(_ settlement: Settlement) -> OrderSummary {
        var summary = self
        summary.status = settlement.status
        summary.captured = settlement.captured
        summary.refunded = settlement.refunded
        summary.candidates = []
        if settlement.status.isPaidFor { summary.amount = settlement.captured }
        var flags = FlagSet(flags)
        flags.insert(.resolved)
        summary.flags = flags.list
        return summary
    }

    /// Returns the summary of an order that is in `review` again after a person resolved it.
    func reopened() -> OrderSummary {
        var summary = self
        var flags = FlagSet(flags)
        flags.insert(.reopened)
        summary.flags = flags.list
        return summary
    }
}

extension OrderStatus {
    /// Whether the status means that money was captured.
    var isPaidFor: Bool {
        switch self {
        case .paid, .partiallyRefunded, .refunded, .disputed, .chargedBack: true
        case .pending, .authorized, .failed, .canceled, .expired, .review: false
        }
    }
}

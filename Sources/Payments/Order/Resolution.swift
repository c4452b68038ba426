import Cryptography

/// What a person decided about an order in `review`: what it is, and what was taken and given back.
package struct Settlement: Sendable, Equatable {
    /// Never `review`.
    package var status: OrderStatus
    /// What was taken; nil where no currency is known.
    package var captured: Money?
    package var refunded: Money?

    package init(status: OrderStatus, captured: Money?, refunded: Money?) {
        self.status = status
        self.captured = captured
        self.refunded = refunded
    }
}

/// That a person resolved a `review`. It is about the facts that the order had then, and about no
/// others: with any further one the order is in `review` again.
///
/// | since | the resolution |
/// |---|---|
/// | nothing, or what the order had already | stands |
/// | an alias, an id, a reason of no new report | stands |
/// | any new report, amount, refund, dispute, reference of a payment | is reopened |
/// | another word that puts an order into `review`, though it says nothing new | is overruled |
/// | the order became one with another that has facts | is overruled |
///
/// The first three rows are told by `basis`, which is derived from the facts, so that no order of
/// arrival matters; the others are kept, and are the same in any order, too.
package struct Resolution: Sendable, Equatable {
    /// The record that holds it.
    package var sequence: UInt64
    package var settlement: Settlement
    /// The `factDigest` of the order that the person saw.
    package var basis: [UInt8]
    /// Who resolved it, by the name of the token.
    package var by: String
    package var resolved: Timestamp
    /// In the person's words.
    package var reason: String
    /// A later word puts the order into `review` though it changes no fact.
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

    /// Of `basis`, in bytes.
    package static let basisBytes = 16
}

extension Order {
    /// A hash of every fact that a sum or a status may follow from. Two orders with the same one
    /// have the same facts; it is part of records, so it must never change for the same facts.
    package var factDigest: [UInt8] {
        var facts = self
        // Names that only find the order, and what asks for nobody's eyes.
        facts.references.removeAll { $0.role != .payment }
        facts.mentions = []
        facts.markedFlags = markedFlags.intersection(.reviewing)
        facts.expected = expected.map { Expectation(amount: $0.amount) }
        facts.resolution = nil
        return Array(SHA256.hash(facts.encoded()).prefix(Resolution.basisBytes))
    }

    /// Whether a person has resolved the order as it is.
    package var isResolved: Bool {
        guard let resolution, !resolution.isOverruled else { return false }
        return resolution.basis == factDigest
    }

    /// This order after a person resolved it. The last word of a person counts.
    package func resolving(_ resolution: Resolution) -> Order {
        var order = self
        order.resolution = resolution
        return order
    }

    /// Something was said that puts an order into `review`, whether or not it was said before.
    mutating func overruleResolution() { resolution?.isOverruled = true }

    /// The resolution of this order and `other` as one.
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

    /// Whether nothing but names is known of it.
    private var isBlank: Bool {
        attempts.isEmpty && refunds.isEmpty && unclearRefunds.isEmpty && disputes.isEmpty
            && reversals.isEmpty && refundedAtLeast == nil && expected == nil
            && !markedFlags.intersects(.reviewing)
    }
}

extension OrderSummary {
    /// What an order in `review` is that a person has resolved.
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

    /// What an order in `review` is of which a person has resolved what it was before.
    func reopened() -> OrderSummary {
        var summary = self
        var flags = FlagSet(flags)
        flags.insert(.reopened)
        summary.flags = flags.list
        return summary
    }
}

extension OrderStatus {
    /// Whether money was taken.
    var isPaidFor: Bool {
        switch self {
        case .paid, .partiallyRefunded, .refunded, .disputed, .chargedBack: true
        case .pending, .authorized, .failed, .canceled, .expired, .review: false
        }
    }
}

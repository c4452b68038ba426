/// The facts reported about one order. Its status and sums are derived from them
/// (`Order+Rules.swift`), so the order of arrival does not matter.
///
/// ```swift
/// var order = Order()
/// for notification in notifications { order.apply(notification) }
/// if order.status == .paid { ship(order.summary.captured) }
/// ```
public struct Order: Sendable, Equatable {
    /// The merchant's references that find this order, sorted by bytes; nearly always one. Their
    /// roles decide which of them is the order's own (``reference``).
    public internal(set) var references: [OrderReference] = []
    /// Attempts, sorted by transaction id.
    public internal(set) var attempts: [Attempt] = []
    /// Flags that came with notifications or were set by ``markingConflict()`` and its like; not
    /// the derived ones.
    package internal(set) var markedFlags = FlagSet()
    /// The merchant's registered expectation.
    public internal(set) var expected: Expectation?
    /// The facts that most orders do not have: none or one. Stored inline, they would be most of
    /// the order, which is copied and moved several times for each record.
    private var rare: [RareFacts] = []

    private struct RareFacts: Sendable, Equatable {
        var refunds: [Refund] = []
        var unclearRefunds: [UnclearRefund] = []
        var disputes: [Dispute] = []
        var reversals: [Reversal] = []
        var mentions: [Mention] = []
        var refundedAtLeast: Money?
        var resolution: Resolution?
    }

    /// Maximum number of facts in one order (`limits.orderFactsMax`). Further notifications are
    /// kept in the journal but not added: the order is then full, in `review`, with the flag
    /// `too_many_events`.
    public static let factsMaxDefault = 256

    /// Creates an order without facts.
    public init() {}

    /// Creates an order with only a reference.
    public init(reference: String) {
        references = [OrderReference(reference, .payment)]
    }

    /// Whether more facts were reported than an order holds. A full order takes no further facts
    /// and shows no sums, because they would be incomplete.
    public var isFull: Bool { markedFlags.contains(.tooManyEvents) }

    /// Number of facts in the order.
    package var factCount: Int {
        let count =
            references.count + attempts.count + attempts.reduce(0) { $0 + $1.captures.count }
        if rare.isEmpty { return count }
        return count + refunds.count + unclearRefunds.count + disputes.count + reversals.count
            + mentions.count
    }

    /// A provider id that belongs to the order without any other fact.
    package struct Mention: Sendable, Equatable, Joinable {
        package let id: String
        mutating func join(_ other: Mention) {}
    }
}

/// Facts that most orders do not have.
extension Order {
    /// Refunds, including failed ones, sorted by refund id.
    public internal(set) var refunds: [Refund] {
        get { rare.isEmpty ? [] : rare[0].refunds }
        _modify {
            addRoom()
            yield &rare[0].refunds
        }
    }

    /// Refunds whose reports can be read in several ways, sorted by id, moment and amounts.
    public internal(set) var unclearRefunds: [UnclearRefund] {
        get { rare.isEmpty ? [] : rare[0].unclearRefunds }
        _modify {
            addRoom()
            yield &rare[0].unclearRefunds
        }
    }

    /// Disputes, sorted by dispute id.
    public internal(set) var disputes: [Dispute] {
        get { rare.isEmpty ? [] : rare[0].disputes }
        _modify {
            addRoom()
            yield &rare[0].disputes
        }
    }

    /// Reversals, sorted by the reversal's id.
    public internal(set) var reversals: [Reversal] {
        get { rare.isEmpty ? [] : rare[0].reversals }
        _modify {
            addRoom()
            yield &rare[0].reversals
        }
    }

    /// Provider ids that belong to the order without any other fact, sorted by bytes.
    package internal(set) var mentions: [Mention] {
        get { rare.isEmpty ? [] : rare[0].mentions }
        _modify {
            addRoom()
            yield &rare[0].mentions
        }
    }

    /// The greatest sum reported as refunded so far on a payment: a lower bound of the refunds.
    public internal(set) var refundedAtLeast: Money? {
        get { rare.isEmpty ? nil : rare[0].refundedAtLeast }
        _modify {
            addRoom()
            yield &rare[0].refundedAtLeast
        }
    }

    /// A person's decision when the order was in `review`.
    package internal(set) var resolution: Resolution? {
        get { rare.isEmpty ? nil : rare[0].resolution }
        _modify {
            addRoom()
            yield &rare[0].resolution
        }
    }

    /// Whether it has, or once had, any of these facts.
    package var hasRareFacts: Bool { !rare.isEmpty }

    private mutating func addRoom() {
        if rare.isEmpty { rare.append(RareFacts()) }
    }

    public static func == (left: Order, right: Order) -> Bool {
        guard left.references == right.references, left.attempts == right.attempts,
            left.markedFlags == right.markedFlags, left.expected == right.expected
        else { return false }
        if left.rare.isEmpty && right.rare.isEmpty { return true }
        return left.rare.first ?? RareFacts() == right.rare.first ?? RareFacts()
    }
}

/// The provider ids of an order, each of which finds it.
extension Order {
    /// Whether a fact of this order has or refers to `id`, compared by bytes.
    public func holds(_ id: String) -> Bool {
        names(id) || hasOperation(id)
    }

    /// Whether a fact of this order refers to `id`, so that a fact with this id belongs to the
    /// order.
    package func names(_ id: String) -> Bool {
        func isIt(_ named: String?) -> Bool { named.map { utf8Order($0, id) == 0 } ?? false }
        if attempts.index(id: id) != nil { return true }
        if rare.isEmpty { return false }
        return mentions.index(id: id) != nil
            || refunds.contains { isIt($0.transaction) }
            || disputes.contains { isIt($0.transaction) }
            || reversals.contains { isIt($0.transaction) }
    }

    /// Every provider id that a fact of this order has or refers to, possibly with repetitions.
    public var ids: [String] {
        var ids = attempts.map(\.transaction) + attempts.flatMap { $0.captures.map(\.id) }
        ids += refunds.map(\.id) + refunds.compactMap(\.transaction)
        ids += unclearRefunds.map(\.id)
        ids += disputes.map(\.id) + disputes.compactMap(\.transaction)
        ids += reversals.map(\.id) + reversals.compactMap(\.transaction)
        ids += mentions.map(\.id)
        return ids.filter { !$0.isEmpty }
    }

    /// The ids of the payments and those that operations refer to, possibly with repetitions.
    package var paymentIDs: [String] {
        var ids = attempts.map(\.transaction) + refunds.compactMap(\.transaction)
        ids += disputes.compactMap(\.transaction) + reversals.compactMap(\.transaction)
        ids += mentions.map(\.id)
        return ids.filter { !$0.isEmpty }
    }

    /// The key of an order without a reference: the least by bytes of the ids that its facts refer
    /// to. These are unique to the order, while another order may have the same operation's id. Nil
    /// if the order has no id.
    package var leastID: String? {
        if attempts.count == 1, rare.isEmpty, attempts[0].captures.isEmpty,
            !attempts[0].transaction.isEmpty
        {
            return attempts[0].transaction
        }
        let named = paymentIDs
        return (named.isEmpty ? ids : named).min { utf8Order($0, $1) < 0 }
    }
}

/// Queries and operations of the ledger on the parts of an order: the facts that came with its
/// reference, and its guests, the facts that came by an id (`Guest` in `Ledger`).
extension Order {
    /// Whether a payment of this order was reported with the provider's id `id`.
    package func hasPayment(_ id: String) -> Bool {
        attempts.index(id: id).map { !attempts[$0].reports.isEmpty } ?? false
    }

    /// Whether `id` is an operation's own id: a capture's, refund's, dispute's or reversal's.
    package func hasOperation(_ id: String) -> Bool {
        if attempts.contains(where: { $0.captures.index(id: id) != nil }) { return true }
        if rare.isEmpty { return false }
        return refunds.index(id: id) != nil || disputes.index(id: id) != nil
            || reversals.index(id: id) != nil || unclearRefunds.contains(id: id)
    }

    /// Whether `id` is that of a payment or an operation of this order.
    package func hasOwn(_ id: String) -> Bool { hasPayment(id) || hasOperation(id) }

    /// The ids of the captures, refunds, disputes and reversals, possibly with repetitions.
    package var operationIDs: [String] {
        var ids = attempts.flatMap { $0.captures.map(\.id) }
        ids += refunds.map(\.id) + unclearRefunds.map(\.id)
        ids += disputes.map(\.id) + reversals.map(\.id)
        return ids.filter { !$0.isEmpty }
    }

    /// Whether the order has no facts, no expectation and is not full, so that it can be dropped.
    package var isVoid: Bool { factCount == 0 && expected == nil && !isFull }

    /// Returns this order with the facts of its guests. A guest's reference becomes an alias. The
    /// resolution is this order's.
    package func hosting(_ guests: [Order]) -> Order {
        let own =
            reference
            ?? guests.compactMap(\.reference).min { utf8Order($0, $1) < 0 }
        var all = self
        for guest in guests {
            var facts = guest
            for index in facts.references.indices
            where !own.isExactly(facts.references[index].text) {
                facts.references[index].role = .alias
            }
            all = all.merging(facts)
        }
        all.adoptResolution(of: self)
        return all
    }

    /// Returns this order with a guest's facts as its own.
    package func adopting(_ guest: Order) -> Order {
        var all = hosting([guest])
        all.adoptResolution(of: self)
        return all
    }

    /// Marks that another order has one of the same ids, which puts this order in `review`.
    package mutating func markShared() { markedFlags.insert(.sharedID) }

    /// Removes the mark of ``markShared()``, after a person has decided that the orders are
    /// separate.
    package mutating func unmarkShared() { markedFlags.remove(.sharedID) }

    /// Takes the resolution of `other`, in which a guest's report has overruled it.
    package mutating func adoptResolution(of other: Order) {
        if rare.isEmpty && other.rare.isEmpty { return }
        resolution = other.resolution
    }
}

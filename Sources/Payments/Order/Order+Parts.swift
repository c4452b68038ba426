/// What the ledger asks of the parts of an order: the facts that came with its reference, and those
/// that came by an id (`Guest` in `Ledger`).
extension Order {
    /// Whether a payment of this order was told under the provider's id `id`.
    package func hasPayment(_ id: String) -> Bool {
        attempts.index(id: id).map { !attempts[$0].reports.isEmpty } ?? false
    }

    /// Whether `id` is an operation's own: a capture's, a refund's, a dispute's, a reversal's.
    package func hasOperation(_ id: String) -> Bool {
        refunds.index(id: id) != nil || disputes.index(id: id) != nil
            || reversals.index(id: id) != nil
            || attempts.contains { $0.captures.index(id: id) != nil }
            || unclearRefunds.contains(id: id)
    }

    /// Whether `id` is that of a payment of this order, or of an operation.
    package func hasOwn(_ id: String) -> Bool { hasPayment(id) || hasOperation(id) }

    /// The ids of its captures, refunds, disputes and reversals; some may come twice.
    package var operationIDs: [String] {
        var ids = attempts.flatMap { $0.captures.map(\.id) }
        ids += refunds.map(\.id) + unclearRefunds.map(\.id)
        ids += disputes.map(\.id) + reversals.map(\.id)
        return ids.filter { !$0.isEmpty }
    }

    /// Whether it holds nothing that would be missed.
    package var isVoid: Bool { factCount == 0 && expected == nil && !isFull }

    /// This order with the facts of its guests. A guest's reference is an alias beside the order's
    /// own. What a person has resolved is this order's.
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
        all.resolution = resolution
        return all
    }

    /// This order with facts of its own that were a guest's.
    package func adopting(_ guest: Order) -> Order {
        var all = hosting([guest])
        all.resolution = resolution
        return all
    }

    /// Another order claims one of its ids, too: it is in `review`.
    package mutating func markShared() { markedFlags.insert(.sharedID) }

    /// A person has said that the order is one of its own.
    package mutating func unmarkShared() { markedFlags.remove(.sharedID) }

    /// A guest's word has overruled what a person resolved.
    package mutating func adoptResolution(of other: Order) { resolution = other.resolution }
}

import Payments
import Records

/// An order in the store at one moment.
package struct OrderView: Sendable, Equatable {
    package var endpoint: String
    package var order: Order
    /// The records that belong to it, ascending; the newest `StoredOrder.sequencesMax` if there are
    /// more. For a full order, those from before it was full.
    package var sequences: [UInt64]
    /// Number of records since the order was full, and the last of them.
    package var laterCount: UInt64
    package var laterLast: UInt64
    /// The least references of other orders that claim an id of this one.
    package var rivals: [String]
    /// The parts that were joined to it by an id, which `split` removes.
    package var parts: [RecordedAction.PartName]

    package init(
        endpoint: String, order: Order, sequences: [UInt64], laterCount: UInt64 = 0,
        laterLast: UInt64 = 0, rivals: [String] = [], parts: [RecordedAction.PartName] = []
    ) {
        self.endpoint = endpoint
        self.order = order
        self.sequences = sequences
        self.laterCount = laterCount
        self.laterLast = laterLast
        self.rivals = rivals
        self.parts = parts
    }
}

extension OrderView {
    /// The key that leads to this order and to no other: its reference, or the id under which it is
    /// stored.
    package var key: OrderKey {
        if let reference = order.reference {
            return .reference(endpoint: endpoint, reference)
        }
        return .unjoined(endpoint: endpoint, order.leastID ?? "")
    }

    /// The name by which a path leads to it.
    package var name: OrderName {
        order.reference.map { OrderName(endpoint: endpoint, reference: $0) }
            ?? OrderName(endpoint: endpoint, unjoined: order.leastID ?? "")
    }

    /// Each of these orders once, ordered by endpoint and name.
    package static func unique(_ views: [OrderView]) -> [OrderView] {
        var seen: Set<ExactName> = []
        return views.filter { seen.insert(ExactName($0)).inserted }
            .sorted { ExactName($0) < ExactName($1) }
    }

    private struct ExactName: Hashable, Comparable {
        let endpoint: ExactText
        let isUnjoined: Bool
        let name: ExactText

        init(_ view: OrderView) {
            endpoint = ExactText(view.endpoint)
            isUnjoined = view.order.reference == nil
            name = ExactText(view.order.reference ?? view.order.leastID ?? "")
        }

        static func < (left: ExactName, right: ExactName) -> Bool {
            if left.endpoint != right.endpoint { return left.endpoint < right.endpoint }
            if left.isUnjoined != right.isUnjoined { return right.isUnjoined }
            return left.name < right.name
        }
    }
}

/// An order's public identity.
package struct OrderName: Sendable, Hashable {
    package var endpoint: String
    package var reference: String

    package init(endpoint: String, reference: String) {
        self.endpoint = endpoint
        self.reference = reference
    }

    /// Names an order without a reference by the id under which it is stored.
    package init(endpoint: String, unjoined id: String) {
        self.init(endpoint: endpoint, reference: "~\(id)")
    }

    /// The part after a leading `~`: a provider's id, unless an order has the whole text as its
    /// reference.
    package var providerID: String? {
        guard reference.utf8.first == UInt8(ascii: "~"), reference.utf8.count > 1 else {
            return nil
        }
        return String(reference.unicodeScalars.dropFirst())
    }
}

/// A key by which an order can be looked up.
package enum OrderKey: Sendable, Hashable {
    /// A reference or alias.
    case reference(endpoint: String, String)
    /// A provider id. If several orders hold it, the least by reference.
    case id(endpoint: String, String)
    /// The id under which an order without a reference is stored; without such an order, as `id`.
    case unjoined(endpoint: String, String)
}

extension Order {
    /// Whether this one of several orders with a name is shown: the same in every store and after
    /// every replay.
    package func precedes(_ other: Order) -> Bool {
        switch (reference, other.reference) {
        case (let mine?, let others?): ExactText(mine) < ExactText(others)
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): ExactText(leastID ?? "") < ExactText(other.leastID ?? "")
        }
    }
}

extension OrderView {
    /// Its newest record.
    package var last: UInt64 { max(sequences.last ?? 0, laterLast) }
}

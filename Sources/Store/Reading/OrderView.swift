import Payments
import Records

/// An order as the store knows it at one moment.
package struct OrderView: Sendable, Equatable {
    package var endpoint: String
    package var order: Order
    /// The records that belong to it, ascending; the newest `StoredOrder.sequencesMax` when there
    /// are more. Of a full order those that came before it was full.
    package var sequences: [UInt64]
    /// How many came when it was full, and the last of them.
    package var laterCount: UInt64
    package var laterLast: UInt64
    /// References of other orders that claim an id of this one, too: the least few.
    package var rivals: [String]
    /// What parts of it came with that came by an id: `split` takes them out.
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

/// An order's identity, as the outside knows it.
package struct OrderName: Sendable, Hashable {
    package var endpoint: String
    package var reference: String

    package init(endpoint: String, reference: String) {
        self.endpoint = endpoint
        self.reference = reference
    }

    /// An order without a reference, by the id under which it is kept.
    package init(endpoint: String, unjoined id: String) {
        self.init(endpoint: endpoint, reference: "~\(id)")
    }

    /// What stands behind a leading `~`: an id of the provider's, unless some order has all of it
    /// for its reference.
    package var providerID: String? {
        guard reference.utf8.first == UInt8(ascii: "~"), reference.utf8.count > 1 else {
            return nil
        }
        return String(reference.unicodeScalars.dropFirst())
    }
}

/// What an order can be looked up by.
package enum OrderKey: Sendable, Hashable {
    /// A reference or alias.
    case reference(endpoint: String, String)
    /// A provider id. Of several orders that hold it, the least by reference.
    case id(endpoint: String, String)
    /// The id under which an order without a reference is kept; where there is none, as `id`.
    case unjoined(endpoint: String, String)
}

extension Order {
    /// Which of several orders that a name leads to is shown: the same in every store and after
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

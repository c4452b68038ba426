import Payments

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

    package init(
        endpoint: String, order: Order, sequences: [UInt64], laterCount: UInt64 = 0,
        laterLast: UInt64 = 0
    ) {
        self.endpoint = endpoint
        self.order = order
        self.sequences = sequences
        self.laterCount = laterCount
        self.laterLast = laterLast
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
}

/// What an order can be looked up by.
package enum OrderKey: Sendable, Hashable {
    /// A reference or alias.
    case reference(endpoint: String, String)
    /// A provider id.
    case id(endpoint: String, String)
}

import Payments

/// An order as the store knows it at one moment.
package struct OrderView: Sendable, Equatable {
    package var endpoint: String
    package var order: Order
    /// The records that belong to it, ascending; the newest `OrderBlob.sequencesMax` when there are more.
    package var sequences: [UInt64]

    package init(endpoint: String, order: Order, sequences: [UInt64]) {
        self.endpoint = endpoint
        self.order = order
        self.sequences = sequences
    }
}

import Journal
import Payments
import Store

/// The orders that a journal's records come to, read without a lock and kept in memory: what a
/// server that opened the journal would know of them.
package struct RecordedOrders {
    private let tables: StoreTables

    /// Reads all records that there are. Throws `JournalError`, and `RecordError` where a record
    /// cannot be read.
    ///
    /// - Parameter changing: Corrections that the journal does not hold yet, by the sequence that
    ///   each corrects.
    package init(
        directory: String, factsMax: Int = Order.factsMaxDefault,
        changing: [UInt64: Notification] = [:]
    ) throws {
        var loader = StoreLoader(factsMax: factsMax, corrections: changing)
        try Self.read(directory, into: &loader)
        if !loader.latecomers.isEmpty {
            let known = loader.latecomers.merging(changing) { $1 }
            loader = StoreLoader(factsMax: factsMax, corrections: known)
            try Self.read(directory, into: &loader)
        }
        tables = loader.finish()
    }

    private static func read(_ directory: String, into loader: inout StoreLoader) throws {
        var reader = try JournalReader(directory: directory)
        _ = try reader.read { try loader.replay($1, sequence: $0) }
    }

    /// The order under a reference or alias.
    package func order(endpoint: String, reference: String) -> OrderView? {
        tables.order(endpoint: endpoint, reference: reference)
    }

    /// The order that a provider id leads to.
    package func order(endpoint: String, transaction: String) -> OrderView? {
        tables.order(endpoint: endpoint, transaction: transaction)
    }

    /// The orders of these names, in their order.
    package func orders(_ keys: [OrderKey]) -> [OrderView?] { keys.map { tables.order($0) } }
}

import Journal
import Payments
import Store

/// The orders of a journal, read without a lock and kept in memory: the same that a server has
/// which opens the journal.
package struct RecordedOrders {
    private let tables: StoreTables

    /// Reads all records. Throws `JournalError`, and `RecordError` where a record cannot be read.
    ///
    /// - Parameter changing: Corrections that are not in the journal yet, by the record that each
    ///   corrects.
    package init(
        directory: String, factsMax: Int = Order.factsMaxDefault,
        changing: [UInt64: Notification] = [:]
    ) throws {
        var loader = StoreLoader(factsMax: factsMax, corrections: changing)
        try Self.read(directory, into: &loader)
        if !loader.lateCorrections.isEmpty {
            let known = loader.lateCorrections.merging(changing) { $1 }
            loader = StoreLoader(factsMax: factsMax, corrections: known)
            try Self.read(directory, into: &loader)
        }
        tables = loader.finish()
    }

    private static func read(_ directory: String, into loader: inout StoreLoader) throws {
        var reader = try JournalReader(directory: directory)
        _ = try reader.read { try loader.replay($1, sequence: $0) }
    }

    /// Returns the order under a reference or alias.
    package func order(endpoint: String, reference: String) -> OrderView? {
        tables.order(endpoint: endpoint, reference: reference)
    }

    /// Returns the order that a provider id leads to.
    package func order(endpoint: String, transaction: String) -> OrderView? {
        tables.order(endpoint: endpoint, transaction: transaction)
    }

    /// Returns the orders that a text leads to: a reference, an alias or an id of the provider's.
    package func orders(knownAs text: String, endpoint: String?) -> [OrderView] {
        tables.orders(knownAs: text, endpoint: endpoint)
    }

    /// Returns the orders of these names, in their order.
    package func orders(_ keys: [OrderKey]) -> [OrderView?] { keys.map { tables.order($0) } }
}

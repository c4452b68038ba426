import GRDB

/// How far an index of orders has come, without opening it for use: a journal that ends before has
/// lost records.
package enum IndexPosition {
    /// The last record that the index in `directory` holds; nil when there is none, or none that can
    /// be read. The index is disposable: what is wrong with it is nobody's concern here.
    package static func read(directory: String) -> UInt64? {
        var configuration = Configuration()
        configuration.readonly = true
        guard
            let database = try? DatabaseQueue(
                path: "\(directory)/\(OrderIndex.fileName)", configuration: configuration)
        else { return nil }
        // Cast: what a damaged page holds is not a number by itself.
        let sequence = try? database.read { database in
            try Int64.fetchOne(
                database, sql: "SELECT CAST(sequence AS INTEGER) FROM position WHERE id = 1")
        }
        return sequence.map { UInt64(clamping: $0) }
    }
}

/// The two tables of orders that a shard has.
enum OrderTable: Sendable {
    /// Orders under their reference.
    case named
    /// Orders under the least of their ids, until a reference comes.
    case unjoined
}

extension StoreShard {
    subscript(table: OrderTable) -> TagTable {
        get { table == .named ? orders : unjoined }
        _modify {
            switch table {
            case .named: yield &orders
            case .unjoined: yield &unjoined
            }
        }
    }
}

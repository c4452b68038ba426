/// ipnd's tables in memory, as shown by one server.
struct SimulatedTables: Sendable {
    /// A change of a transaction, as kept in a server's log.
    enum Write: Sendable {
        case event([[UInt8]?])
        case identity(RowKey, sequence: [UInt8]?, fingerprint: [UInt8]?)
        case order([[UInt8]?])
        case removeOrder(RowKey)
        case later(RowKey, [[UInt8]?])
        case alias(RowKey, RowKey)
        case batch([[UInt8]?])
        case head(Int64, [UInt8])
        case endpoint(Int64, String)
        case partitions(through: Int64)
        /// The keys of the records, with their version.
        case sealing(Int64, [UInt8])
        case notification(String)
    }

    static let store = "00112233445566778899aabbccddeeff"
    static let hashKey = (0..<16).map { UInt8($0) }
    static let partitionRows: Int64 = 1_000_000

    /// The indexes of columns in a row of `order_state`, in the order of its statement.
    enum OrderColumn {
        static let (key, facts, first, last, created, updated) = (0, 2, 3, 4, 5, 6)
        static let (transaction, laterCount, laterLast, metadata) = (8, 20, 21, 25)
        /// The columns that a statement leaves at their defaults: two counts and four nulls.
        static let rareDefaults: [[UInt8]?] =
            Array(repeating: SimulatedValue.bytes(Int64(0)), count: 2)
            + Array(repeating: nil, count: 4)
    }

    /// `SchemaVersion.current`.
    var version: Int64 = 1
    private(set) var sequence: Int64 = 0
    private(set) var chain = [UInt8](repeating: 0, count: 32)
    private(set) var endpoints: [String: Int64] = [:]
    /// In the order of their sequences.
    private(set) var events: [(sequence: Int64, row: [[UInt8]?])] = []
    private(set) var identities: [RowKey: (sequence: [UInt8]?, fingerprint: [UInt8]?)] = [:]
    private(set) var orders: [RowKey: [[UInt8]?]] = [:]
    private(set) var aliases: [RowKey: Set<RowKey>] = [:]
    private(set) var batches: [Int64: [[UInt8]?]] = [:]
    private(set) var sealing: (version: Int64, keys: [UInt8])?
    private(set) var partitionedThrough = 2 * partitionRows - 1

    mutating func apply(_ write: Write) {
        switch write {
        case .event(let row):
            let sequence = SimulatedValue.integer(row[0] ?? [])
            let place = events.lastIndex { $0.sequence < sequence }.map { $0 + 1 } ?? 0
            events.insert((sequence, row), at: place)
        case .identity(let key, let sequence, let fingerprint):
            identities[key] = (sequence, fingerprint)
        case .order(let row):
            let key = RowKey(row[OrderColumn.key] ?? [])
            var new = row
            // Without a new value from the event, the old one is kept.
            for column in [OrderColumn.transaction, OrderColumn.metadata] where new[column] == nil {
                new[column] = orders[key]?[column]
            }
            orders[key] = new
        case .removeOrder(let key): orders[key] = nil
        case .later(let key, let row):
            orders[key]?[OrderColumn.laterCount] = row[1]
            orders[key]?[OrderColumn.laterLast] = row[2]
            orders[key]?[OrderColumn.last] = row[2]
            orders[key]?[OrderColumn.updated] = row[3]
        case .alias(let key, let order): aliases[key, default: []].insert(order)
        case .batch(let row): batches[SimulatedValue.integer(row[0] ?? [])] = row
        case .head(let sequence, let chain): (self.sequence, self.chain) = (sequence, chain)
        case .endpoint(let number, let name): endpoints[name] = number
        case .partitions(let through):
            let ends = (through / Self.partitionRows + 1) * Self.partitionRows - 1
            partitionedThrough = max(partitionedThrough, ends)
        case .sealing(let version, let keys): sealing = (version, keys)
        case .notification: break
        }
    }

    func holds(_ sequence: Int64) -> Bool {
        events.last.map { $0.sequence >= sequence } == true
            && events.contains { $0.sequence == sequence }
    }

    /// The given columns of an order's row.
    func values(_ row: [[UInt8]?], _ columns: [Int]) -> [[UInt8]?] { columns.map { row[$0] } }

    /// The rows with these keys, then those that their aliases point to.
    func ordersNamed(_ keys: [RowKey]) -> [[[UInt8]?]] {
        let own = keys.compactMap { orders[$0] }
        return own
            + keys.flatMap { key in
                (aliases[key] ?? []).sorted().compactMap { orders[$0] }
            }
    }
}

import Ledger
import Payments
import PostgreSQL
import Records

extension Statement {
    /// The rows from array parameters of equal length, one for each column.
    ///
    /// The arrays are unnested in the select list, not after FROM, where each would first be copied
    /// into a tuple store, which costs 4 µs for a row of 24 columns.
    static func rows(_ count: Int) -> String {
        "SELECT " + (1...count).map { "unnest($\($0))" }.joined(separator: ", ")
    }
}

/// Rows for `event`.
struct EventColumns {
    private var sequences = Column(.int8)
    private var received = Column(.timestamp)
    private var endpoints = Column(.int4)
    private var outcomes = Column(.text)
    private var records = Column(.bytes)

    mutating func append(
        _ sequence: UInt64, _ received: Timestamp, _ endpoint: UInt16, _ outcome: RecordOutcome,
        _ record: [UInt8]
    ) {
        sequences.append(Int64(sequence))
        self.received.append(microseconds: received.microseconds)
        endpoints.append(Int64(endpoint))
        outcomes.append(outcome.rawValue)
        records.append(record)
    }

    var command: Command {
        Command(Self.statement).with(sequences).with(received).with(endpoints).with(outcomes)
            .with(records)
    }

    private static let statement = Statement(
        name: "events",
        sql: """
            INSERT INTO event (sequence, received, endpoint, outcome, record)
            \(Statement.rows(5))
            """)
}

/// Rows for `identity`. A plain INSERT costs half of one with a conflict clause, so new rows have
/// their own statement.
struct IdentityColumns {
    private let areNew: Bool
    private var keys = Column(.uuid)
    private var sequences = Column(.int8)
    private var fingerprints = Column(.int4)

    var isEmpty: Bool { keys.isEmpty }

    /// - Parameter areNew: Whether the table has none of them.
    init(areNew: Bool) { self.areNew = areNew }

    mutating func append(_ key: KeyHash, _ event: KnownEvent) {
        keys.append(key)
        sequences.append(Int64(event.sequence))
        fingerprints.append(Int64(event.fingerprint))
    }

    var command: Command {
        Command(areNew ? Self.insertion : Self.statement).with(keys).with(sequences)
            .with(fingerprints)
    }

    private static let insertion = Statement(
        name: "new_identities",
        sql: "INSERT INTO identity (key, sequence, fingerprint) \(Statement.rows(3))")
    private static let statement = Statement(
        name: "identities",
        sql: """
            INSERT INTO identity (key, sequence, fingerprint) \(Statement.rows(3))
            ON CONFLICT (key) DO UPDATE
            SET sequence = excluded.sequence, fingerprint = excluded.fingerprint
            """)
}

/// Rows for `alias`, without repetitions.
struct AliasColumns {
    private struct Pair: Hashable {
        var key: KeyHash
        var order: KeyHash
    }

    private let areNew: Bool
    private var pairs: Set<Pair> = []
    private var keys = Column(.uuid)
    private var orders = Column(.uuid)

    var isEmpty: Bool { keys.isEmpty }

    /// - Parameter areNew: Whether the table has none of them.
    init(areNew: Bool) { self.areNew = areNew }

    mutating func append(_ key: KeyHash, _ order: KeyHash) {
        guard pairs.insert(Pair(key: key, order: order)).inserted else { return }
        keys.append(key)
        orders.append(order)
    }

    var command: Command {
        Command(areNew ? Self.insertion : Self.statement).with(keys).with(orders)
    }

    private static let insertion = Statement(
        name: "new_aliases", sql: "INSERT INTO alias (key, order_key) \(Statement.rows(2))")
    private static let statement = Statement(
        name: "aliases",
        sql: """
            INSERT INTO alias (key, order_key) \(Statement.rows(2)) ON CONFLICT DO NOTHING
            """)
}

/// Updates of full orders that got more records.
struct LaterColumns {
    private var keys = Column(.uuid)
    private var counts = Column(.int8)
    private var lasts = Column(.int8)
    private var updated = Column(.timestamp)

    var isEmpty: Bool { keys.isEmpty }

    mutating func append(_ key: KeyHash, _ later: LaterRecords, updated: Int64) {
        keys.append(key)
        counts.append(Int64(clamping: later.count))
        lasts.append(Int64(clamping: later.last))
        self.updated.append(microseconds: updated)
    }

    var command: Command {
        Command(Self.statement).with(keys).with(counts).with(lasts).with(updated)
    }

    private static let statement = Statement(
        name: "later",
        sql: """
            UPDATE order_state SET later_count = new.count, later_last = new.last,
                last = new.last, updated = new.updated
            FROM (\(Statement.rows(4))) AS new (key, count, last, updated)
            WHERE order_state.key = new.key
            """)
}

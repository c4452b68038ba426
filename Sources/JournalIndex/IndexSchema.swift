import GRDB

/// The tables of the index.
///
/// An order's row has the sequence of the first record that named it for its key: it never
/// changes, so pages are stable while orders change, and "newest first" is the table's own order.
/// An order that is known only by provider ids has no reference. Its row is deleted when it is
/// joined to an order that has one.
///
/// Only the store finds an order by an alias or one of the provider's ids: its tables in memory
/// have them all, and an index of them here would cost at every order.
///
/// Records have an order by the rules of their time. So an index that was filled from the journal,
/// or met a correction, is due for a `refresh`: every row is compared with the store's order
/// (`IndexRefresh`). Rows of orders that changed with another order's record are `stale`, and are
/// refreshed one by one.
///
/// Every SQL index costs at every order, so there are few: most orders end as `paid`, and a search
/// for these finds some soon in the table itself; all others are few. `ordersOpen` has the orders
/// about which a provider may be asked, by the time of their last change.
enum IndexSchema {
    /// The version of the tables. An index of another version is deleted and rebuilt. Raise it when
    /// tables change, or when the order rules give other sums for the same facts.
    static let version = 3

    static let statements = """
        CREATE TABLE orders (
            first INTEGER PRIMARY KEY,
            endpoint TEXT NOT NULL,
            reference TEXT,
            transactionID TEXT,
            status TEXT NOT NULL,
            minor INTEGER,
            currency TEXT,
            refunded INTEGER,
            authorized INTEGER,
            captured INTEGER,
            reasonCode TEXT,
            reasonMessage TEXT,
            method TEXT,
            agreement TEXT,
            flags TEXT NOT NULL,
            created INTEGER NOT NULL,
            updated INTEGER NOT NULL,
            last INTEGER NOT NULL,
            expectedMinor INTEGER,
            expectedCurrency TEXT,
            expires INTEGER,
            metadata TEXT
        );
        CREATE UNIQUE INDEX ordersByReference ON orders (reference, endpoint)
            WHERE reference IS NOT NULL;
        CREATE UNIQUE INDEX ordersUnjoined ON orders (endpoint, transactionID)
            WHERE reference IS NULL;
        CREATE INDEX ordersNotPaid ON orders (status, first) WHERE status <> 'paid';
        CREATE INDEX ordersFlagged ON orders (first) WHERE flags <> '';
        CREATE INDEX ordersExpiring ON orders (expires)
            WHERE expires IS NOT NULL AND status IN ('pending', 'authorized');
        CREATE INDEX ordersOpen ON orders (endpoint, updated)
            WHERE \(OrderIndex.openCondition);
        CREATE TABLE position (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            sequence INTEGER NOT NULL,
            digest TEXT NOT NULL
        );
        CREATE TABLE refresh (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            isDue INTEGER NOT NULL
        );
        INSERT INTO refresh (id, isDue) VALUES (1, 1);
        CREATE TABLE stale (
            endpoint TEXT NOT NULL,
            reference TEXT NOT NULL,
            id TEXT NOT NULL,
            PRIMARY KEY (endpoint, reference, id)
        ) WITHOUT ROWID;
        """

    static func create(_ database: Database) throws {
        try database.execute(sql: statements)
        try database.execute(sql: "PRAGMA user_version = \(version)")
    }

    static func isCurrent(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "PRAGMA user_version") == version
    }
}

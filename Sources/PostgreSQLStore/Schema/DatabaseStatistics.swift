import Bytes
import Platform
import PostgreSQL

/// `ipnd database stat`: figures of the tables.
package struct DatabaseStatistics: Sendable, Equatable {
    package var store: String
    package var version: Int
    /// The last sequence.
    package var sequence: UInt64
    /// The first existing sequence, or 0.
    package var first: UInt64
    package var partitions: Int
    package var endpoints: Int
    package var orders: Int
    package var identities: Int
    package var batches: Int
    /// Size of the tables with their indexes.
    package var bytes: Int
    /// SHA-256 over all batches, in hexadecimal.
    package var chainHead: String
    /// When the last batch was committed, in microseconds since 1970; nil before the first.
    package var committed: Int64?

    /// Reads the figures in one snapshot. Counts are exact, so it reads whole indexes.
    package static func read(
        _ connection: PostgresConnection, schema: String, seconds: Int = 600
    ) throws(DatabaseFailure) -> DatabaseStatistics {
        let deadline = connection.clock.now.advanced(seconds: seconds)
        try SchemaVersion.require(connection, schema: schema, until: deadline)
        do throws(PostgresError) {
            _ = try connection.run(
                Command("SELECT set_config('statement_timeout', $1, false)").with("\(seconds)s"),
                until: deadline)
            let row = try connection.run(Command(query), until: deadline)
            return DatabaseStatistics(
                store: try row.text(0, 0), version: Int(try row.integer(0, 1)),
                sequence: UInt64(clamping: try row.integer(0, 2)),
                first: UInt64(clamping: try row.integer(0, 3)),
                partitions: Int(try row.integer(0, 4)), endpoints: Int(try row.integer(0, 5)),
                orders: Int(try row.integer(0, 6)), identities: Int(try row.integer(0, 7)),
                batches: Int(try row.integer(0, 8)), bytes: Int(try row.integer(0, 9)),
                chainHead: Hex.encode(try row.bytes(0, 10)),
                committed: row.isNull(0, 11) ? nil : try row.microseconds(0, 11))
        } catch {
            throw DatabaseFailure(error, schema: schema)
        }
    }

    private static let query = """
        SELECT store, version, head.sequence,
            coalesce((SELECT min(sequence) FROM event), 0),
            (SELECT count(*) FROM pg_inherits WHERE inhparent = 'event'::regclass),
            (SELECT count(*) FROM endpoint), (SELECT count(*) FROM order_state),
            (SELECT count(*) FROM identity), (SELECT count(*) FROM batch),
            (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
                WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'),
            head.chain, (SELECT committed FROM batch ORDER BY first DESC LIMIT 1)
        FROM meta, head
        """
}

import PostgreSQL

/// The beginning and end of the record at one moment.
struct RecordExtent {
    /// The last sequence in the head row.
    var head: UInt64
    var chain: [UInt8]
    /// The first and the last event; 0 without any.
    var first: UInt64
    var last: UInt64
    /// The first sequence of the last batch; 0 without any.
    var lastBatch: UInt64
    var partitions: Int
    /// The first sequence of the oldest partition.
    var partition: UInt64

    init(_ reader: PortionReader) throws(DatabaseFailure) {
        self = try reader.attempt { () throws(PostgresError) in
            let row = try reader.connection.run(Command(Self.query), until: reader.deadline)
            guard row.rowCount == 1 else { throw .unexpected("no row in head or meta") }
            return RecordExtent(
                head: UInt64(clamping: try row.integer(0, 0)), chain: try row.bytes(0, 1),
                first: UInt64(clamping: try row.integer(0, 2)),
                last: UInt64(clamping: try row.integer(0, 3)),
                lastBatch: UInt64(clamping: try row.integer(0, 4)),
                partitions: Int(try row.integer(0, 5)),
                partition: UInt64(clamping: try row.integer(0, 6)))
        }
    }

    private init(
        head: UInt64, chain: [UInt8], first: UInt64, last: UInt64, lastBatch: UInt64,
        partitions: Int, partition: UInt64
    ) {
        self.head = head
        self.chain = chain
        self.first = first
        self.last = last
        self.lastBatch = lastBatch
        self.partitions = partitions
        self.partition = partition
    }

    private static let query = """
        SELECT head.sequence, head.chain,
            coalesce((SELECT min(sequence) FROM event), 0),
            coalesce((SELECT max(sequence) FROM event), 0),
            coalesce((SELECT max(first) FROM batch), 0),
            part.count, part.least * partition_events
        FROM head, meta, (
            SELECT count(*) AS count,
                min(substring(child.relname FROM '^event_([0-9]+)$')::bigint) AS least
            FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
            WHERE inhparent = 'event'::regclass
        ) AS part
        """
}

import Ledger
import Platform
import PostgreSQL
import Records
import Sealing

/// A connection that writes, with the state of the tables that it has read.
struct WriterSession {
    let link: any DatabaseLink
    /// The identity of the record, as 32 hexadecimal digits.
    let store: String
    /// The run of the server that it is connected to.
    let server: String
    /// The hash function of every key.
    let function: SipHash
    /// The last sequence that this session has seen.
    var sequence: UInt64
    /// The last sequence that has a partition.
    private var partitionedThrough: UInt64
    /// Number of sequences for which partitions are created in advance: one partition, or several
    /// small ones.
    private let partitionsAhead: UInt64
    /// Number of sequences in a partition of the events.
    let partitionEvents: UInt64
    private(set) var endpoints: [String: UInt16] = [:]
    /// The keys of the records; nil while they are stored as they are.
    private(set) var keys: DatabaseKeys?
    /// Seals the records of this session.
    var sealer: RecordSealer?

    /// Far more sequences than all instances write before each reads the head again.
    private static let partitionsAheadMin: UInt64 = 10_000

    /// Reads the tables' settings. Throws if they are missing or have another version.
    ///
    /// - Parameter version: The expected version, which differs during an import.
    init(
        _ link: any DatabaseLink, schema: String, version: Int = SchemaVersion.current,
        until deadline: MonotonicTime
    ) throws(DatabaseFailure) {
        try SchemaVersion.require(link, schema: schema, version: version, until: deadline)
        do throws(PostgresError) {
            // A table that was small when a statement was planned may be large a minute later.
            _ = try link.run(Command(Self.plan), until: deadline)
            let meta = try link.run(Command(Self.look), until: deadline)
            store = try meta.text(0, 0)
            guard let function = SipHash(bytes: try meta.bytes(0, 1)) else {
                throw .unexpected("the hash key's length")
            }
            self.function = function
            let size = UInt64(clamping: try meta.integer(0, 2))
            partitionEvents = max(size, 1)
            partitionsAhead = max(size, Self.partitionsAheadMin)
            partitionedThrough = UInt64(clamping: try meta.integer(0, 3))
            sequence = UInt64(clamping: try meta.integer(0, 4))
            server = try meta.text(0, 5)
            self.link = link
            try readEndpoints(until: deadline)
        } catch {
            throw DatabaseFailure(error, schema: schema)
        }
    }

    private static let plan = """
        SELECT set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false),
            set_config('plan_cache_mode', 'force_generic_plan', false)
        """

    private static let look = """
        SELECT store, hash_key, partition_events, (
            SELECT partition_events
                * (max(substring(child.relname FROM '^event_([0-9]+)$')::bigint) + 1) - 1
            FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
            WHERE inhparent = 'event'::regclass), sequence,
            concat_ws(' ', inet_server_addr(), inet_server_port(),
                extract(epoch FROM pg_postmaster_start_time()))
        FROM meta, head
        """

    /// Reads the keys of the records. Throws when they cannot be unwrapped.
    mutating func openKeys(
        _ masters: [MasterKey], schema: String, until deadline: MonotonicTime
    ) throws(DatabaseFailure) {
        let opened = try DatabaseKeys.open(
            link, of: store, masters, schema: schema, until: deadline)
        if let opened { adopt(opened) }
    }

    /// Goes on with other keys.
    mutating func adopt(_ changed: DatabaseKeys) {
        keys = changed
        sealer = RecordSealer(changed.ring)
    }

    /// Returns the number of an endpoint, and adds it to the database if necessary. That is rare,
    /// so it is a separate transaction.
    mutating func number(
        of name: String, until deadline: MonotonicTime
    ) throws(PostgresError) -> UInt16 {
        if let number = endpoints[name] { return number }
        _ = try link.run(
            [
                Command("SELECT FROM head FOR UPDATE"),
                Command(
                    """
                    INSERT INTO endpoint (number, name)
                    SELECT coalesce(max(number) + 1, 0), $1 FROM endpoint
                    ON CONFLICT (name) DO NOTHING
                    """
                ).with(name),
            ], until: deadline)
        try readEndpoints(until: deadline)
        guard let number = endpoints[name] else { throw .unexpected("no endpoint \(name)") }
        return number
    }

    private mutating func readEndpoints(until deadline: MonotonicTime) throws(PostgresError) {
        let rows = try link.run(
            Command("SELECT number, name FROM endpoint"), until: deadline)
        for row in 0..<rows.rowCount {
            endpoints[try rows.text(row, 1)] = UInt16(clamping: try rows.integer(row, 0))
        }
    }

    /// Whether these tasks need only the messages of a batch: partitions exist, and endpoints have
    /// numbers.
    func isPrepared(for tasks: [BatchTask]) -> Bool {
        guard !needsPartitions else { return false }
        return tasks.allSatisfy { task in task.endpoint.map { endpoints[$0] != nil } ?? true }
    }

    private var needsPartitions: Bool { sequence + partitionsAhead / 2 > partitionedThrough }

    /// Adds partitions before the last one is half full.
    mutating func addPartitions(until deadline: MonotonicTime) throws(PostgresError) {
        guard needsPartitions else { return }
        let through = sequence + partitionsAhead
        let add = Command("SELECT add_event_partitions($1)").with(Int64(through))
        _ = try link.run(add, until: deadline)
        partitionedThrough = through
    }
}

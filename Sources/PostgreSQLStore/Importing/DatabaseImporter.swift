import Ledger
import Platform
import PostgreSQL

/// Imports a journal's records into the tables. During the import `meta.version` is negative, which
/// keeps every server out until it is finished.
package struct DatabaseImporter {
    /// The properties of a journal that decide whether it may be imported.
    package struct Source: Sendable {
        /// Its identity, as 32 hexadecimal digits.
        package var store: String
        /// The sequences of its first and last record; nil without records.
        package var span: ClosedRange<UInt64>?
        /// Its corrections: the sequence of the correcting record by that of the corrected one.
        package var corrections: [UInt64: UInt64]
        /// The wrapped keys of its sealed records; nil when there are none.
        package var keys: [UInt8]?

        package init(
            store: String, span: ClosedRange<UInt64>?, corrections: [UInt64: UInt64],
            keys: [UInt8]? = nil
        ) {
            self.keys = keys
            self.store = store
            self.span = span
            self.corrections = corrections
        }
    }

    /// The work that an import has to do.
    package enum Start: Sendable, Equatable {
        /// None: the tables hold the whole journal, up to this sequence.
        case complete(UInt64)
        /// Import the records after this sequence.
        case after(UInt64)
        /// Import the snapshot first, because the journal's beginning is gone.
        case seed
    }

    let reader: PortionReader
    private let factsMax: Int
    private var session: WriterSession?

    private static let secondsMax = 60

    package init(_ connection: PostgresConnection, schema: String, factsMax: Int) {
        reader = PortionReader(connection, unchecked: schema)
        self.factsMax = factsMax
    }

    /// The content of the tables before an import.
    private struct Found {
        var version: Int
        var store: String
        var head: UInt64
        var orders: Bool
        /// Corrections up to this record were applied; 0 if nothing was imported.
        var corrections: UInt64
    }

    /// Decides what to import, and keeps servers out if there is anything.
    ///
    /// - Parameter record: Returns the journal's record of a sequence.
    package mutating func begin(
        _ source: Source, record: (UInt64) throws -> [UInt8]?
    ) throws -> Start {
        let found = try own { () throws(DatabaseFailure) in try look() }
        guard found.version == SchemaVersion.current || found.version == SchemaVersion.importing
        else { throw DatabaseFailure.version(found.version) }
        let isUnfinished = found.version == SchemaVersion.importing
        let isEmpty = found.head == 0 && !found.orders && !isUnfinished
        guard isEmpty || found.store == source.store else { throw otherStore(found, source) }
        let last = source.span?.upperBound ?? 0
        if found.head > 0 {
            try compare(min(found.head, last), found, source, record)
            if last <= found.head, !isUnfinished { return .complete(found.head) }
        }
        try checkCorrections(source, found)
        try keepOthersOut(source, found)
        if last <= found.head { return .after(found.head) }
        let first = source.span?.lowerBound ?? 1
        return found.head == 0 && first > 1 ? .seed : .after(found.head)
    }

    private func look() throws(DatabaseFailure) -> Found {
        _ = try reader.attempt { () throws(PostgresError) in
            try reader.connection.runScript(
                "SET enable_seqscan = off; SET jit = off", until: reader.deadline)
        }
        return try reader.attempt { () throws(PostgresError) in
            let row = try reader.connection.run(
                Command(
                    """
                    SELECT version, store, head.sequence,
                        EXISTS (SELECT FROM order_state) OR EXISTS (SELECT FROM event),
                        coalesce((SELECT corrections FROM import), 0)
                    FROM meta, head
                    """), until: reader.deadline)
            return Found(
                version: Int(try row.integer(0, 0)), store: try row.text(0, 1),
                head: UInt64(clamping: try row.integer(0, 2)),
                orders: try row.integer(0, 3) == 1,
                corrections: UInt64(clamping: try row.integer(0, 4)))
        }
    }

    private func otherStore(_ found: Found, _ source: Source) -> DatabaseFailure {
        found.version == SchemaVersion.importing
            ? DatabaseFailure(
                "the tables hold a part of the journal \(found.store), and this is the journal "
                    + "\(source.store)", "finish the import of that one, or \(Self.otherSchema)")
            : DatabaseFailure(
                "the tables hold the record \(found.store), and this is the journal "
                    + "\(source.store)",
                "import it into empty tables only: \(Self.otherSchema)")
    }

    private static let otherSchema =
        "name another `database.schema` and run `ipnd database init` for it"

    /// Throws unless database and journal have the same bytes in the last record that both have.
    private func compare(
        _ sequence: UInt64, _ found: Found, _ source: Source,
        _ record: (UInt64) throws -> [UInt8]?
    ) throws {
        guard sequence > 0 else { return }
        guard let ours = try record(sequence) else {
            throw DatabaseFailure(
                "the tables end with \(found.head), and the journal begins with "
                    + "\(source.span?.lowerBound ?? 0)",
                "import a backup that has the records between, or \(Self.otherSchema)")
        }
        let row = try reader.run(
            Command("SELECT record FROM event WHERE sequence = $1").with(Int64(sequence)))
        // Retention may have dropped it; the store is the same.
        guard row.rowCount == 1, try row.bytes(0, 0) != ours else { return }
        throw DatabaseFailure(
            "record \(sequence) differs between the journal and the tables: both were "
                + "written to", "keep the correct one; to import the journal, \(Self.otherSchema)")
    }

    /// Throws if the journal has corrected a record since it was imported: facts cannot be removed
    /// from an order.
    private func checkCorrections(_ source: Source, _ found: Found) throws(DatabaseFailure) {
        // Without an import the tables have applied all corrections up to the head.
        let known = found.corrections > 0 ? found.corrections : found.head
        let late = source.corrections.filter { $0.key <= found.head && $0.value > known }
            .min { $0.value < $1.value }
        guard let (corrected, correction) = late else { return }
        throw DatabaseFailure(
            "the journal's record \(correction) corrects \(corrected), which is imported already",
            "import it from the beginning: \(Self.otherSchema)")
    }

    private mutating func keepOthersOut(
        _ source: Source, _ found: Found
    ) throws(DatabaseFailure) {
        let known = Int64(clamping: source.span?.upperBound ?? 0)
        var commands = [
            Command("BEGIN"), Command("SELECT FROM head FOR UPDATE"),
            Command("UPDATE meta SET version = $1, store = $2")
                .with(Int64(SchemaVersion.importing)).with(source.store),
            Command(
                """
                INSERT INTO import (corrections) VALUES ($1)
                ON CONFLICT (one) DO UPDATE SET corrections = excluded.corrections
                """
            ).with(known),
            // Those that a server has made for the store that the tables had before.
            Command("DELETE FROM sealing"),
        ]
        if let keys = source.keys {
            commands.append(
                Command("INSERT INTO sealing (version, keys) VALUES (1, $1)").with(keys))
        }
        commands.append(Command("COMMIT"))
        let results = try own { () throws(DatabaseFailure) in
            reader.connection.clearWarning()
            return try reader.run(commands)
        }
        try reader.requireCommit(results)
    }

    /// Runs operations that only the owner of the tables may do.
    func own<Answer>(
        _ body: () throws(DatabaseFailure) -> Answer
    ) throws(DatabaseFailure) -> Answer {
        do throws(DatabaseFailure) { return try body() } catch {
            guard error.remedy.hasPrefix("GRANT ipnd_writer") else { throw error }
            throw DatabaseFailure(
                error.problem,
                "run `ipnd database import` as the owner of the tables, as "
                    + "`ipnd database init`")
        }
    }
}

extension DatabaseImporter {
    /// Imports the next records as one transaction.
    package mutating func add(
        _ records: [ImportedRecord], _ corrections: inout KnownCorrections
    ) throws(DatabaseFailure) {
        let deadline = reader.connection.clock.now.advanced(seconds: Self.secondsMax)
        var open: WriterSession
        if let session {
            open = session
        } else {
            open = try WriterSession(
                reader.connection, schema: reader.schema, version: SchemaVersion.importing,
                until: deadline)
        }
        let batch = ImportBatch(
            records: records, schema: reader.schema, factsMax: factsMax, deadline: deadline)
        do throws(BatchTransaction.Failure) { try batch.run(&open, &corrections) } catch {
            switch error {
            case .failed(let failure):
                throw DatabaseFailure(failure, schema: reader.schema)
            case .unsettled(let text):
                throw DatabaseFailure(
                    "the outcome of a commit is unknown: \(text)", "run this again",
                    isMistake: false, reason: "database_commit_unknown")
            case .version(let found):
                throw .version(found)
            case .keys:
                // No server runs meanwhile, and the import does not seal.
                throw DatabaseFailure(
                    "the keys of the records were changed meanwhile", "stop all servers",
                    isMistake: false)
            }
        }
        session = open
    }

    /// Deletes everything from the tables that a journal has a copy of, so that it can be imported
    /// again with its corrections. Servers are kept out until that import is finished; the
    /// positions of deliveries are kept.
    ///
    /// - Parameters:
    ///   - last: The last record of the copy. Throws if the tables have another.
    ///   - corrections: The last correction that was added to the journal since.
    package func empty(through last: UInt64, corrections: UInt64) throws(DatabaseFailure) {
        try own { () throws(DatabaseFailure) in
            reader.connection.clearWarning()
            let begun = try reader.run([
                Command("BEGIN"), Command("SELECT sequence FROM head FOR UPDATE"),
            ])
            let head = try reader.attempt { () throws(PostgresError) in
                UInt64(clamping: try begun[1].integer(0, 0))
            }
            guard head == last else {
                _ = try reader.run("ROLLBACK")
                throw DatabaseFailure(
                    "a server has written up to \(head), and the copy goes up to \(last)",
                    "stop the servers, and run this again with another directory")
            }
            try reader.requireCommit(
                try reader.run([
                    Command("TRUNCATE event, batch, identity, order_state, alias"),
                    Command(
                        "UPDATE head SET sequence = 0, chain = decode(repeat('00', 32), 'hex')"),
                    Command("UPDATE meta SET version = $1").with(Int64(SchemaVersion.importing)),
                    Command(
                        """
                        INSERT INTO import (corrections) VALUES ($1)
                        ON CONFLICT (one) DO UPDATE SET corrections = excluded.corrections
                        """
                    ).with(Int64(clamping: corrections)),
                    Command("COMMIT"),
                ]))
        }
    }

    /// Ends the import: servers may use the tables from now on.
    package func finish() throws(DatabaseFailure) {
        reader.connection.clearWarning()
        let results = try reader.run([
            Command("BEGIN"), Command("SELECT FROM head FOR UPDATE"),
            Command("UPDATE meta SET version = $1").with(Int64(SchemaVersion.current)),
            Command("COMMIT"),
        ])
        try reader.requireCommit(results)
    }
}

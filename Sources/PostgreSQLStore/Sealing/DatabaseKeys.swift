import Cryptography
import Platform
import PostgreSQL
import Records
import Sealing

/// The key ring of a database, which is in the one row of the table `sealing`.
///
/// It is committed before the first record that needs it. All instances use the same ring; the
/// row's version tells them when keys were destroyed.
package struct DatabaseKeys: Sendable {
    package let ring: KeyRing
    /// Increases with each change of the ring; at least 1.
    let version: Int64

    /// Opens the ring of the store, or makes one; nil when records are not sealed and are not to
    /// be.
    ///
    /// Throws a mistake when records are sealed and the ring cannot be unwrapped.
    package static func open(
        _ link: any DatabaseLink, of store: String, _ masters: [MasterKey], schema: String,
        until deadline: MonotonicTime
    ) throws(DatabaseFailure) -> DatabaseKeys? {
        let row: Row?
        do throws(PostgresError) {
            row = try find(link, of: store, masters, until: deadline)
        } catch {
            throw DatabaseFailure(error, schema: schema)
        }
        guard let row else { return nil }
        let keys = try unwrap(row, of: store, masters)
        do throws(PostgresError) {
            try keys.rewrap(row, link, masters, until: deadline)
        } catch {
            throw DatabaseFailure(error, schema: schema)
        }
        return keys
    }

    /// The same for a connection of a command.
    ///
    /// - Parameter seconds: The time limit.
    package static func open(
        _ connection: PostgresConnection, _ masters: [MasterKey], schema: String, seconds: Int = 30
    ) throws(DatabaseFailure) -> DatabaseKeys? {
        let deadline = connection.clock.now.advanced(seconds: seconds)
        let store = try store(connection, schema, until: deadline)
        return try open(connection, of: store, masters, schema: schema, until: deadline)
    }

    /// Returns what opens the records, and changes nothing; nil when they are not sealed, or when
    /// there is no key to open them with.
    package static func opener(
        _ connection: PostgresConnection, _ masters: [MasterKey], schema: String, seconds: Int = 30
    ) throws(DatabaseFailure) -> RecordOpener? {
        guard !masters.isEmpty else { return nil }
        let deadline = connection.clock.now.advanced(seconds: seconds)
        let store = try store(connection, schema, until: deadline)
        let row: Row?
        do throws(PostgresError) { row = try look(connection, until: deadline) } catch {
            throw DatabaseFailure(error, schema: schema)
        }
        return try row.map { row throws(DatabaseFailure) in
            RecordOpener(try unwrap(row, of: store, masters).ring)
        }
    }

    /// The identity of the record.
    private static func store(
        _ connection: PostgresConnection, _ schema: String, until deadline: MonotonicTime
    ) throws(DatabaseFailure) -> String {
        do throws(PostgresError) {
            return try connection.run(Command("SELECT store FROM meta"), until: deadline)
                .text(0, 0)
        } catch {
            throw DatabaseFailure(error, schema: schema)
        }
    }

    private struct Row {
        var version: Int64
        var file: [UInt8]
    }

    /// The row, which is made if there is a master key; nil when there is none.
    private static func find(
        _ link: any DatabaseLink, of store: String, _ masters: [MasterKey],
        until deadline: MonotonicTime
    ) throws(PostgresError) -> Row? {
        if let row = try look(link, until: deadline) { return row }
        guard let master = masters.first else { return nil }
        _ = try link.run(
            Command(insertion).with(wrapped(KeyRing(randomFor: store), by: master)),
            until: deadline)
        // Another instance may have been first.
        guard let row = try look(link, until: deadline) else {
            throw .unexpected("no row in sealing")
        }
        return row
    }

    private static func look(
        _ link: any DatabaseLink, until deadline: MonotonicTime
    ) throws(PostgresError) -> Row? {
        let rows = try link.run(Command(selection), until: deadline)
        guard rows.rowCount > 0 else { return nil }
        return Row(version: try rows.integer(0, 0), file: try rows.bytes(0, 1))
    }

    private static func unwrap(
        _ row: Row, of store: String, _ masters: [MasterKey]
    ) throws(DatabaseFailure) -> DatabaseKeys {
        do throws(KeyRingError) {
            return DatabaseKeys(
                ring: try KeyRing(unwrapping: row.file, of: store, with: masters),
                version: row.version)
        } catch {
            let remedy =
                masters.isEmpty
                ? "add `personal.masterKeys` to the configuration"
                : "correct `personal.masterKeys` in the configuration"
            throw DatabaseFailure("\(error)", remedy, reason: error.reason)
        }
    }

    /// Wraps the ring with the present master key, if another one did. The version stays: the ring
    /// is the same.
    private func rewrap(
        _ row: Row, _ link: any DatabaseLink, _ masters: [MasterKey],
        until deadline: MonotonicTime
    ) throws(PostgresError) {
        guard let master = masters.first, KeyRing.masterName(of: row.file) != master.name else {
            return
        }
        _ = try link.run(
            Command(Self.update).with(version).with(Self.wrapped(ring, by: master)),
            until: deadline)
    }

    private static func wrapped(_ ring: KeyRing, by master: MasterKey) -> [UInt8] {
        do throws(KeyError) { return try ring.wrapped(by: master) } catch {
            // As with a digest, this fails only if memory runs out.
            fatalError("OpenSSL cannot encrypt: \(error)")
        }
    }

    /// The ring without the keys of these records, and the command that stores it. Run it in the
    /// transaction of the record that says so: then both are there, or neither.
    func destroying(
        _ records: [ErasedRecords], wrappedBy masters: [MasterKey]
    ) -> (keys: DatabaseKeys, command: Command)? {
        guard let master = masters.first else { return nil }
        var changed = ring
        for erased in records { changed.destroy(erased.ranges) }
        let command = Command(Self.destruction).with(version)
            .with(Self.wrapped(changed, by: master))
        return (DatabaseKeys(ring: changed, version: version + 1), command)
    }

    private static let destruction =
        "UPDATE sealing SET version = version + 1, keys = $2 WHERE version = $1"
    private static let selection = "SELECT version, keys FROM sealing"
    private static let insertion =
        "INSERT INTO sealing (version, keys) VALUES (1, $1) ON CONFLICT (one) DO NOTHING"
    private static let update = "UPDATE sealing SET keys = $2 WHERE version = $1"
}

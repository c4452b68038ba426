import Platform
import PostgreSQL

/// The tables of this program: a script for each version that leads there from the one before.
package enum SchemaVersion {
    /// What this program reads and writes.
    package static let current = scripts.count

    /// The first makes everything, each further one upgrades.
    static let scripts: [String] = [
        text(PackageResources.schema_1_sql), text(PackageResources.schema_2_sql),
        text(PackageResources.schema_3_sql), text(PackageResources.schema_4_sql),
        text(PackageResources.schema_5_sql),
    ]

    static let rights = text(PackageResources.rights_sql)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The version of the tables that are there. Throws `DatabaseFailure` when there are none or
    /// this user may not look.
    static func read(
        _ connection: any DatabaseLink, schema: String, until deadline: MonotonicTime
    ) throws(DatabaseFailure) -> Int {
        do throws(PostgresError) {
            let exists = Command("SELECT to_regclass('meta') IS NOT NULL")
            guard try connection.run(exists, until: deadline).integer(0, 0) == 1 else {
                throw .statement(.missingTable, "")
            }
            let result = try connection.run(Command("SELECT version FROM meta"), until: deadline)
            guard result.rowCount == 1 else { throw .statement(.missingTable, "") }
            return Int(try result.integer(0, 0))
        } catch {
            throw DatabaseFailure(error, schema: schema)
        }
    }

    /// What stands in place of `current` while a journal is being imported.
    static let importing = -current

    /// Throws unless the tables are of this program's version.
    package static func require(
        _ connection: any DatabaseLink, schema: String, version: Int = current,
        until deadline: MonotonicTime
    ) throws(DatabaseFailure) {
        let found = try read(connection, schema: schema, until: deadline)
        if found != version { throw .version(found, wanted: current) }
    }
}

import Platform
import PostgreSQL

/// The version of the tables, and the scripts that create them.
package enum SchemaVersion {
    /// The only version that this program reads and writes.
    package static let current = 1

    /// Creates the tables, functions and views.
    static let tables = text(PackageResources.schema_sql)
    /// Grants the privileges.
    static let rights = text(PackageResources.rights_sql)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the version of the existing tables. Throws `DatabaseFailure` if there are none or
    /// this user may not read it.
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

    /// The version that the tables have while a journal is being imported.
    static let importing = -current

    /// Throws unless the tables have the expected version.
    package static func require(
        _ connection: any DatabaseLink, schema: String, version: Int = current,
        until deadline: MonotonicTime
    ) throws(DatabaseFailure) {
        let found = try read(connection, schema: schema, until: deadline)
        if found != version { throw .version(found) }
    }
}

import PostgreSQL
import Store

/// Small texts of a server's parts, each under a name, which outlive the instance that wrote them.
package struct DatabaseMarks: Sendable {
    private let reader: DatabaseReader

    package init(_ reader: DatabaseReader) { self.reader = reader }

    /// Returns nil if there is none. Throws as `DatabaseReader.read`.
    package func read(_ name: String) async throws(ReadFailure) -> String? {
        try await reader.read { session throws(PostgresError) -> String? in
            let rows = try session.run([Command(Self.read).with(name)])[0]
            return rows.rowCount == 1 ? try rows.text(0, 0) : nil
        }
    }

    /// Replaces a text; returns false, and changes nothing, if it is not `former` any more. Throws
    /// as `DatabaseReader.read`; then it may or may not have been replaced.
    package func write(
        _ text: String, of name: String, after former: String?
    ) async throws(ReadFailure) -> Bool {
        try await reader.read { session throws(PostgresError) -> Bool in
            let command =
                former == nil
                ? Command(Self.insert).with(name).with(text)
                : Command(Self.update).with(name).with(text).with(former)
            return try session.commit([command])[0].rowCount == 1
        }
    }

    private static let read = Statement(
        name: "mark_read", sql: "SELECT value FROM mark WHERE name = $1")
    private static let insert = Statement(
        name: "mark_insert",
        sql: """
            INSERT INTO mark (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING
            RETURNING 1
            """)
    private static let update = Statement(
        name: "mark_update",
        sql: "UPDATE mark SET value = $2 WHERE name = $1 AND value = $3 RETURNING 1")
}

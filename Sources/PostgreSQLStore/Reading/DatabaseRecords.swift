import PostgreSQL
import Store

/// The records in the database, for the feed.
package struct DatabaseRecords: RecordSource {
    let reader: DatabaseReader
    let health: DatabaseHealth
    let commitFeed: CommitFeed

    package var identity: String? { health.store }

    /// Returns the last durable record, which may be one of another instance that this one has not
    /// read yet.
    package func lastSequence(
        expecting sequence: UInt64
    ) async throws(ReadFailure) -> UInt64 {
        let known = commitFeed.durableSequence
        if sequence <= known { return known }
        let last = try await reader.last()
        if commitFeed.publish(last, []) { commitFeed.announce() }
        return last
    }

    package func page(
        after: UInt64, through last: UInt64, limit: Int, bytesMax: Int
    ) async throws(ReadFailure) -> RecordPage {
        try await reader.read { session throws(PostgresError) in
            try session.page(after: after, through: last, limit: limit, bytesMax: bytesMax)
        }
    }
}

extension ReaderSession {
    /// The next records, confirmed.
    func page(
        after: UInt64, through last: UInt64, limit: Int, bytesMax: Int
    ) throws(PostgresError) -> RecordPage {
        let command = Command(Self.feed).with(Int64(clamping: after)).with(Int64(clamping: last))
            .with(Int64(limit)).with(Int64(bytesMax))
        let rows = try run([command])[0]
        var page = RecordPage(after: after)
        for row in 0..<rows.rowCount {
            page.append(
                RecordPage.Record(
                    sequence: UInt64(clamping: try rows.integer(row, 0)),
                    bytes: try rows.bytes(row, 1)))
        }
        if page.next > after { try confirm(page.next) }
        return page
    }

    /// The records of the feed. Their lengths are computed without reading the records.
    private static let feed = Statement(
        name: "feed",
        sql: """
            SELECT sequence, record FROM (
                SELECT sequence, record,
                    sum(octet_length(record)) OVER (ORDER BY sequence) - octet_length(record)
                        AS bytes_before
                FROM (
                    SELECT sequence, record FROM event
                    WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $3
                ) AS next
            ) AS measured
            WHERE bytes_before < $4 ORDER BY sequence
            """)
}

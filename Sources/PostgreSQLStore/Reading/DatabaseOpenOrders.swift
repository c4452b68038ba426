import Payments
import PostgreSQL
import Store

/// The open orders by SQL, from the partial index `order_state_open`.
package struct DatabaseOpenOrders: OpenOrders {
    let reader: DatabaseReader

    package func sequence() async throws(ReadFailure) -> UInt64 { try await reader.last() }

    package func oldestOpen(_ endpoint: String) async throws(ReadFailure) -> Timestamp? {
        try await reader.read { session throws(PostgresError) in
            let rows = try session.run([Command(Self.oldest).with(endpoint)])[0]
            return rows.isNull(0, 0)
                ? nil : Timestamp(microseconds: try rows.microseconds(0, 0))
        }
    }

    package func open(_ query: OpenOrderQuery) async throws(ReadFailure) -> OpenOrderPage {
        guard !query.spans.isEmpty else { return OpenOrderPage([], of: query) }
        return try await reader.read { session throws(PostgresError) in
            var (after, through) = (Column(.timestamp), Column(.timestamp))
            var firsts = Column(.int8)
            for span in query.spans {
                after.append(microseconds: span.after.microseconds)
                through.append(microseconds: span.through.microseconds)
                firsts.append(Int64(clamping: span.afterFirst))
            }
            let command = Command(Self.open).with(query.endpoint).with(after).with(through)
                .with(firsts).with(query.activeSince.microseconds).with(Int64(query.limit))
            let results = try session.run([command, Command(ReaderSession.head)])
            try session.confirm(UInt64(clamping: try results[1].integer(0, 0)))
            return OpenOrderPage(try Self.spans(results[0], query.spans.count), of: query)
        }
    }

    /// Groups the rows by the number of their span, from 1.
    private static func spans(
        _ rows: PostgresResult, _ count: Int
    ) throws(PostgresError) -> [[OpenOrder]] {
        var found = [[OpenOrder]](repeating: [], count: count)
        for row in 0..<rows.rowCount {
            let span = Int(try rows.integer(row, 0)) - 1
            guard found.indices.contains(span) else {
                throw .unexpected("a span that was not asked for")
            }
            found[span].append(
                OpenOrder(
                    first: UInt64(clamping: try rows.integer(row, 1)),
                    last: UInt64(clamping: try rows.integer(row, 2)),
                    reference: try rows.text(row, 3),
                    updated: Timestamp(microseconds: try rows.microseconds(row, 4)),
                    expires: rows.isNull(row, 5)
                        ? nil : Timestamp(microseconds: try rows.microseconds(row, 5))))
        }
        return found
    }

    private static let condition = """
        endpoint = (SELECT number FROM endpoint WHERE name = $1)
            AND (status IN ('pending', 'authorized', 'review')
                OR (status = 'failed' AND expires > updated)
                OR position(',unconfirmed,' IN flags) > 0
                OR position(',amount_unknown,' IN flags) > 0)
            AND reference IS NOT NULL
        """
    private static let oldest = Statement(
        name: "open_oldest", sql: "SELECT min(updated) FROM order_state WHERE \(condition)")
    private static let open = Statement(
        name: "open",
        sql: """
            SELECT span.number, found.first, found.last, found.reference, found.updated,
                found.expires
            FROM unnest($2, $3, $4) WITH ORDINALITY AS span (after, through, first, number),
                LATERAL (
                    SELECT * FROM order_state
                    WHERE \(condition)
                        AND updated >= span.after AND updated <= span.through
                        AND (updated > span.after OR order_state.first > span.first)
                        AND greatest(expires, updated)
                            >= 'epoch'::timestamptz + $5::bigint * interval '1 microsecond'
                    ORDER BY updated, order_state.first LIMIT $6
                ) AS found
            ORDER BY span.number, found.updated, found.first LIMIT $6
            """)
}

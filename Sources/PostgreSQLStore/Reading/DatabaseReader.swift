import Ledger
import Payments
import Platform
import PostgreSQL
import Store

/// Reads what is recorded, on connections of its own: reading never delays intake.
///
/// On a primary that was cut off or has just restarted, rows are visible that a failover loses, and
/// their sequences will be given again. So nothing is shown before a synchronous commit that came
/// after it on the same connection: a short message to the log (`pg_logical_emit_message`), which
/// locks nothing. Where nothing is new since the last one, none is needed.
package final class DatabaseReader: Sendable {
    /// Why nothing can be shown.
    package enum Failure: Error, Sendable, Equatable {
        /// The database is away, too slow, or its standby is.
        case unavailable(String)
        /// The reader was closed.
        case closed
    }

    /// One record with its exact bytes.
    package struct Record: Sendable, Equatable {
        package var sequence: UInt64
        package var bytes: [UInt8]
    }

    private let jobs: ReaderJobs

    /// - Parameters:
    ///   - connectionsMax: How many read at the same time, each on a thread of its own.
    ///   - secondsMax: For one reading with its confirmation.
    package init(
        _ source: LinkSource, connectionsMax: Int = 4, secondsMax: Int = 10
    ) {
        let jobs = ReaderJobs()
        self.jobs = jobs
        for _ in 0..<connectionsMax {
            PlatformThread.detached(name: "ipnd-reader") {
                ReaderThread(source, jobs, secondsMax: secondsMax).run()
            }
        }
    }

    package convenience init(
        _ string: ConnectionString, _ settings: SessionSettings, connectionsMax: Int = 4,
        secondsMax: Int = 10
    ) {
        self.init(
            LinkSource(string, settings), connectionsMax: connectionsMax, secondsMax: secondsMax)
    }

    deinit { jobs.close() }

    /// Reads nothing more.
    package func close() { jobs.close() }

    /// The records behind `sequence`, at most this many, and the last sequence there is.
    package func records(
        after sequence: UInt64, limit: Int
    ) async throws(Failure) -> (records: [Record], last: UInt64) {
        let command = Command(Self.feed).with(Int64(clamping: sequence)).with(Int64(limit))
        return try await read { session throws(PostgresError) in
            let (rows, last) = try session.confirmed(command)
            var records: [Record] = []
            for row in 0..<rows.rowCount {
                records.append(
                    Record(
                        sequence: UInt64(clamping: try rows.integer(row, 0)),
                        bytes: try rows.bytes(row, 1)))
            }
            return (records, last)
        }
    }

    /// The order under a reference or alias, or under a provider's id; nil when there is none.
    package func order(_ name: OrderKey) async throws(Failure) -> OrderView? {
        try await read { session throws(PostgresError) in try session.order(name) }
    }

    private func read<Answer: Sendable>(
        _ body: @escaping @Sendable (ReaderSession) throws(PostgresError) -> Answer
    ) async throws(Failure) -> Answer {
        let result: Result<Answer, Failure> = await withUnsafeContinuation { continuation in
            let isTaken = jobs.add { session in
                do throws(PostgresError) {
                    let answer = try body(try session.get())
                    continuation.resume(returning: .success(answer))
                    return true
                } catch {
                    continuation.resume(returning: .failure(.unavailable(error.reason)))
                    return error.leavesConnectionOpen
                }
            }
            if !isTaken { continuation.resume(returning: .failure(.closed)) }
        }
        return try result.get()
    }

    private static let feed = Statement(
        name: "feed",
        sql: "SELECT sequence, record FROM event WHERE sequence > $1 ORDER BY sequence LIMIT $2")
}

import Payments
import PostgreSQL
import Store

@testable import PostgreSQLStore

/// A reader that follows the feed from the beginning, and reads an order now and then, over the
/// sessions of the store's own readers.
struct SimulatedReader {
    /// The result of one read.
    enum Shown {
        case record(UInt64, [UInt8])
        case order(String, OrderView)
    }

    private let source: LinkSource
    private let references: [String]
    private var session: ReaderSession?
    private var process: Confirmations?
    private var cursor: UInt64 = 0
    private var turn = 0

    init(_ source: LinkSource, history: History) {
        self.source = source
        references = Set(history.notes.compactMap(\.reference)).sorted()
    }

    /// Reads once; empty if it cannot.
    ///
    /// - Parameter confirmations: The confirmations of its process.
    mutating func read(_ confirmations: Confirmations) -> [Shown] {
        if process !== confirmations { session = nil }
        process = confirmations
        if session?.isAlive == false { session = nil }
        var shown: [Shown] = []
        do throws(PostgresError) {
            if session == nil {
                session = try ReaderSession(source, confirmations, secondsMax: 10)
            }
            guard let session else { return shown }
            session.deadline = confirmations.environment.now().advanced(seconds: 10)
            try read(session, &shown)
        } catch {
            if !error.leavesConnectionOpen { session = nil }
        }
        return shown
    }

    private mutating func read(
        _ session: ReaderSession, _ shown: inout [Shown]
    ) throws(PostgresError) {
        // The order first: the records of the feed after it are confirmed with it.
        turn += 1
        let reference = references[turn % references.count]
        if let view = try session.order(.reference(endpoint: "shop", reference)) {
            shown.append(.order(reference, view))
        }
        let page = try session.page(
            after: cursor, through: .max, limit: 100, bytesMax: 1 << 20)
        for record in page.records {
            cursor = record.sequence
            shown.append(.record(cursor, record.bytes))
        }
    }
}

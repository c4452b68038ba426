import Ledger
import Payments
import Platform
import PostgreSQL
import Store

/// A connection that reads, and what of the record it has confirmed.
final class ReaderSession {
    let connection: any DatabaseLink
    /// Of what is being read.
    var deadline: MonotonicTime
    private let keys: KeyMaker
    private var endpoints: [String: UInt16] = [:]
    /// Everything up to this sequence was visible here before a synchronous commit.
    private var confirmed: UInt64 = 0

    init(
        _ source: LinkSource, now: MonotonicTime = .now(), secondsMax: Int
    ) throws(PostgresError) {
        deadline = now.advanced(seconds: secondsMax)
        let connection = try source.open()
        self.connection = connection
        do throws(DatabaseFailure) {
            let session = try DatabaseSession(
                connection, schema: source.settings.schema, until: deadline)
            keys = KeyMaker(function: session.function)
            endpoints = session.endpoints
        } catch {
            connection.close()
            throw .unexpected("\(error)")
        }
    }

    /// Whether the server has not ended the connection meanwhile.
    var isAlive: Bool { connection.isAlive }

    /// Runs a command, and returns its rows and the last sequence, when all that it showed is
    /// confirmed.
    func confirmed(
        _ command: Command
    ) throws(PostgresError) -> (rows: PostgresResult, last: UInt64) {
        // The head is read behind the rows: nothing in them is newer.
        let results = try connection.run([command, Command(Self.head)], until: deadline)
        let last = UInt64(clamping: try results[1].integer(0, 0))
        if last != confirmed { try confirm(last) }
        return (results[0], last)
    }

    /// Waits for a commit that comes after everything that is visible.
    private func confirm(_ last: UInt64) throws(PostgresError) {
        connection.clearWarning()
        let results = try connection.run(
            [Command(Self.begin), Command(Self.barrier), Command(Self.commit)], until: deadline)
        guard connection.warning == nil, results[2].tag == "COMMIT" else {
            connection.abandon()
            throw .lost("a confirmation came with a warning")
        }
        confirmed = last
    }

    /// The order of this name.
    func order(_ name: OrderKey) throws(PostgresError) -> OrderView? {
        let (endpoint, text) =
            switch name {
            case .reference(let endpoint, let text), .id(let endpoint, let text): (endpoint, text)
            }
        guard let number = try number(of: endpoint) else { return nil }
        var lookups = Column(.uuid)
        let question: OrderQuestion
        switch name {
        case .reference:
            lookups.append(keys.reference(number, text))
            question = .isKnown(text, .alias)
        case .id:
            lookups.append(keys.transaction(number, text))
            question = .holds(text)
        }
        let (rows, _) = try confirmed(Command(Self.order).with(lookups))
        var found: StoredOrder?
        for row in 0..<rows.rowCount {
            guard var order = StoredOrder(try rows.bytes(row, 0)[...]) else {
                throw .unexpected("an order whose facts cannot be read")
            }
            order.later.count = UInt64(clamping: try rows.integer(row, 1))
            order.later.last = UInt64(clamping: try rows.integer(row, 2))
            guard order.endpoint == number else { continue }
            // The order's own reference comes before an alias.
            if case .reference = name, order.order.isNamed(text) { return order.view(endpoint) }
            if found == nil, question.isMet(by: order.order) { found = order }
        }
        return found.map { $0.view(endpoint) }
    }

    private func number(of endpoint: String) throws(PostgresError) -> UInt16? {
        if let number = endpoints[endpoint] { return number }
        let rows = try connection.run(
            Command("SELECT number, name FROM endpoint"), until: deadline)
        for row in 0..<rows.rowCount {
            endpoints[try rows.text(row, 1)] = UInt16(clamping: try rows.integer(row, 0))
        }
        return endpoints[endpoint]
    }

    private static let head = Statement(name: "last", sql: "SELECT sequence FROM head")
    private static let begin = Statement(name: "begin", sql: "BEGIN")
    private static let commit = Statement(name: "commit", sql: "COMMIT")
    private static let barrier = Statement(
        name: "barrier", sql: "SELECT pg_logical_emit_message(true, 'ipnd', '')")
    private static let order = Statement(
        name: "order",
        sql: """
            SELECT facts, later_count, later_last FROM order_state WHERE key = ANY($1)
            UNION ALL
            SELECT facts, later_count, later_last
            FROM alias JOIN order_state ON order_state.key = alias.order_key
            WHERE alias.key = ANY($1)
            """)
}

extension StoredOrder {
    fileprivate func view(_ endpoint: String) -> OrderView {
        OrderView(
            endpoint: endpoint, order: order, sequences: sequences, laterCount: later.count,
            laterLast: later.last)
    }
}

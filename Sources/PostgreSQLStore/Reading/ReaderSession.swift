import Ledger
import Payments
import Platform
import PostgreSQL
import Store

/// A connection that reads.
///
/// On a primary that was cut off or has just restarted, rows are visible that a failover loses, and
/// their sequences will be used again. So rows are shown only after a later synchronous commit on
/// the same server: a batch of this instance, or a short message to the log
/// (`pg_logical_emit_message`), which locks nothing.
package final class ReaderSession {
    let link: any DatabaseLink
    /// The deadline of the current read.
    var deadline: MonotonicTime
    /// The identity of the store in the database.
    package let store: String
    private let server: String
    private let confirmations: Confirmations
    private let keys: KeyMaker
    private(set) var endpoints: [String: UInt16] = [:]

    init(
        _ source: LinkSource, _ confirmations: Confirmations, secondsMax: Int
    ) throws(PostgresError) {
        self.confirmations = confirmations
        deadline = confirmations.environment.now().advanced(seconds: secondsMax)
        let link = try source.open()
        self.link = link
        do throws(DatabaseFailure) {
            let session = try WriterSession(
                link, schema: source.settings.schema, until: deadline)
            keys = KeyMaker(function: session.function)
            endpoints = session.endpoints
            server = session.server
            store = session.store
        } catch {
            link.close()
            throw .unexpected("\(error)")
        }
    }

    /// Whether the server has not closed the connection.
    var isAlive: Bool { link.isAlive }

    /// Runs commands. Their results must not be shown before `confirm`.
    package func run(_ commands: [Command]) throws(PostgresError) -> [PostgresResult] {
        try link.run(commands, until: deadline)
    }

    /// Waits until every record up to `sequence`, as seen here, is on all copies.
    func confirm(_ sequence: UInt64) throws(PostgresError) {
        guard !confirmations.covers(sequence, on: server) else { return }
        if confirmations.awaitTurn() {
            // Another session may have confirmed it meanwhile.
            if confirmations.covers(sequence, on: server) { return }
        }
        link.clearWarning()
        // The head is read again, so that one commit serves all sessions that wait.
        let results = try run([
            Command(Self.head), Command(Self.begin), Command(Self.barrier), Command(Self.commit),
        ])
        guard link.warning == nil, results[3].tag == "COMMIT" else {
            link.abandon()
            throw .lost("a confirmation came with a warning")
        }
        confirmations.note(UInt64(clamping: try results[0].integer(0, 0)), on: server)
    }

    /// The last sequence, confirmed.
    func last() throws(PostgresError) -> UInt64 {
        let last = UInt64(clamping: try run([Command(Self.head)])[0].integer(0, 0))
        try confirm(last)
        return last
    }

    /// The order with this name, confirmed; nil if there is none.
    func order(_ name: OrderKey) throws(PostgresError) -> OrderView? {
        let (endpoint, text) =
            switch name {
            case .reference(let endpoint, let text), .id(let endpoint, let text),
                .unjoined(let endpoint, let text):
                (endpoint, text)
            }
        guard let number = try number(of: endpoint) else { return nil }
        var lookups = Column(.uuid)
        let question: OrderQuestion
        switch name {
        case .reference:
            lookups.append(keys.reference(number, text))
            question = .isKnown(text, .alias)
        case .id, .unjoined:
            lookups.append(keys.transaction(number, text))
            question = .holds(text)
        }
        var found: StoredOrder?
        for order in try orders(lookups) where order.endpoint == number {
            if Self.isExact(order.order, name, text) {
                found = order
                break
            }
            guard question.isMet(by: order.order) else { continue }
            if found.map({ order.order.precedes($0.order) }) ?? true { found = order }
        }
        guard let found else { return nil }
        try confirm(found.last)
        return found.view(endpoint)
    }

    /// The orders that a text leads to, in one endpoint or in all, confirmed.
    func orders(
        knownAs text: String, endpoint name: String?
    ) throws(PostgresError) -> [OrderView] {
        try readEndpoints()
        var lookups = Column(.uuid)
        var names: [UInt16: String] = [:]
        for (endpoint, number) in endpoints where name.map({ $0.isExactly(endpoint) }) ?? true {
            names[number] = endpoint
            lookups.append(keys.reference(number, text))
            lookups.append(keys.transaction(number, text))
        }
        var found: [OrderView] = []
        var last: UInt64 = 0
        for order in try orders(lookups) {
            guard let endpoint = names[order.endpoint],
                OrderQuestion.isKnown(text, .alias).isMet(by: order.order)
                    || OrderQuestion.holds(text).isMet(by: order.order)
            else { continue }
            last = max(last, order.last)
            found.append(order.view(endpoint))
        }
        try confirm(last)
        return OrderView.unique(found)
    }

    /// An order's own reference takes precedence over an alias, and for an order without a
    /// reference, that order over others that hold its id.
    private static func isExact(_ order: Order, _ name: OrderKey, _ text: String) -> Bool {
        switch name {
        case .reference: order.isNamed(text)
        case .unjoined: order.reference == nil && order.leastID.isExactly(text)
        case .id: false
        }
    }

    /// The orders with these keys or aliases, not confirmed.
    func orders(_ lookups: Column) throws(PostgresError) -> [StoredOrder] {
        let rows = try run([Command(Self.order).with(lookups)])[0]
        var found: [StoredOrder] = []
        for row in 0..<rows.rowCount {
            guard var order = StoredOrder(try rows.bytes(row, 0)[...]) else {
                throw .unexpected("an order whose facts cannot be read")
            }
            order.later.count = UInt64(clamping: try rows.integer(row, 1))
            order.later.last = UInt64(clamping: try rows.integer(row, 2))
            found.append(order)
        }
        return found
    }

    /// The key of a reference in an endpoint; nil if the database does not have the endpoint.
    func key(_ endpoint: String, _ reference: String) throws(PostgresError) -> KeyHash? {
        try key(.reference(endpoint: endpoint, reference))
    }

    /// The key under which an order is stored; nil if the database does not have the endpoint.
    func key(_ name: OrderKey) throws(PostgresError) -> KeyHash? {
        switch name {
        case .reference(let endpoint, let text):
            try number(of: endpoint).map { keys.reference($0, text) }
        case .id(let endpoint, let text), .unjoined(let endpoint, let text):
            try number(of: endpoint).map { keys.transaction($0, text) }
        }
    }

    private func number(of endpoint: String) throws(PostgresError) -> UInt16? {
        if let number = endpoints[endpoint] { return number }
        try readEndpoints()
        return endpoints[endpoint]
    }

    /// Reads the endpoints again, because other instances may have added some.
    func readEndpoints() throws(PostgresError) {
        let rows = try run([Command(Self.endpointQuery)])[0]
        for row in 0..<rows.rowCount {
            endpoints[try rows.text(row, 1)] = UInt16(clamping: try rows.integer(row, 0))
        }
    }

    static let head = Statement(name: "last", sql: "SELECT sequence FROM head")
    private static let endpointQuery = Statement(
        name: "endpoints", sql: "SELECT number, name FROM endpoint")
    static let begin = Statement(name: "begin", sql: "BEGIN")
    static let commit = Statement(name: "commit", sql: "COMMIT")
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
    /// The last record that changed the order.
    fileprivate var last: UInt64 { max(sequences.last ?? 0, later.last) }

    fileprivate func view(_ endpoint: String) -> OrderView {
        OrderView(
            endpoint: endpoint, order: order, sequences: sequences, laterCount: later.count,
            laterLast: later.last, rivals: rivals, parts: partNames)
    }
}

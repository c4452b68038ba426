import Ledger
import Platform
import PostgreSQL
import Records
import Store

/// Publishes the records of all instances to this instance's readers. Each batch notifies the
/// channel, which only wakes the follower: it reads and confirms the records itself. The tables are
/// also polled every second, because notifications do not survive a connection.
final class DatabaseFollower {
    private let source: LinkSource
    private let confirmations: Confirmations
    private let environment: DatabaseEnvironment
    private let commitFeed: CommitFeed
    private let health: DatabaseHealth
    private let secondsMax: Int
    /// The last sequence that was read.
    private var seen: UInt64?

    /// Poll interval without a notification, and the pause before a new connection.
    private static let pollSeconds = 1
    /// Time to wait for further batches before a read, which readers share.
    private static let gatherNanoseconds: UInt64 = 10_000_000
    /// Number of records whose orders are looked up at once.
    private static let pageMax: Int64 = 500

    init(
        _ source: LinkSource, _ confirmations: Confirmations, commitFeed: CommitFeed,
        health: DatabaseHealth, secondsMax: Int
    ) {
        self.source = source
        self.confirmations = confirmations
        environment = confirmations.environment
        self.commitFeed = commitFeed
        self.health = health
        self.secondsMax = secondsMax
    }

    /// Runs until the store is closed.
    func run() {
        while !commitFeed.isClosed {
            do throws(PostgresError) { try follow() } catch {
                // The committer reports a database that is away.
                environment.pause(nanoseconds: UInt64(Self.pollSeconds) * 1_000_000_000)
            }
        }
    }

    private func follow() throws(PostgresError) {
        let session = try ReaderSession(source, confirmations, secondsMax: secondsMax)
        defer { session.link.abandon() }
        _ = try session.run([Command("LISTEN \"\(source.settings.schema)\"")])
        while !commitFeed.isClosed {
            session.deadline = environment.now().advanced(seconds: secondsMax)
            try look(session)
            let poll = environment.now().advanced(seconds: Self.pollSeconds)
            if try session.link.awaitNotification(until: poll) {
                environment.pause(nanoseconds: Self.gatherNanoseconds)
            }
        }
    }

    private func look(_ session: ReaderSession) throws(PostgresError) {
        let head = UInt64(
            clamping: try session.run([Command(ReaderSession.head)])[0].integer(0, 0))
        // Records of this instance are confirmed already.
        guard head != seen || head > commitFeed.durableSequence else { return }
        try session.confirm(head)
        var names: Set<OrderName> = []
        if let seen, commitFeed.watchesOrders {
            var last = seen
            while last < head {
                last = try addNames(after: last, through: head, to: &names, session)
            }
        }
        seen = head
        if commitFeed.publish(head, Array(names)) { commitFeed.announce() }
        // From here on the feed has a last record.
        health.noteStore(session.store)
    }

    /// Adds the names of the orders of the next records. Returns the last record that was read.
    private func addNames(
        after last: UInt64, through head: UInt64, to names: inout Set<OrderName>,
        _ session: ReaderSession
    ) throws(PostgresError) -> UInt64 {
        let rows = try session.run([
            Command(Self.records).with(Int64(clamping: last)).with(Int64(clamping: head))
                .with(Self.pageMax)
        ])[0]
        var lookups = Column(.uuid)
        for row in 0..<rows.rowCount {
            let order = try rows.withBytes(row, 1) {
                try? OrderRow(RecordReader($0, [.event, .order]))
            }
            guard let order = order ?? nil else { continue }
            for id in [order.transaction].compactMap(\.self) + order.absorbedIDs {
                names.insert(OrderName(endpoint: order.endpoint, unjoined: id))
            }
            for text in [order.reference, order.alias].compactMap(\.self) + order.absorbed {
                names.insert(OrderName(endpoint: order.endpoint, reference: text))
                if let key = try session.key(order.endpoint, text) { lookups.append(key) }
            }
        }
        // A reader may wait for an order under a name that an earlier record gave it.
        let endpoints = Dictionary(uniqueKeysWithValues: session.endpoints.map { ($1, $0) })
        for order in try session.orders(lookups) {
            guard let endpoint = endpoints[order.endpoint] else { continue }
            for reference in order.order.references {
                names.insert(OrderName(endpoint: endpoint, reference: reference.text))
            }
        }
        let count = rows.rowCount
        return count > 0 ? UInt64(clamping: try rows.integer(count - 1, 0)) : head
    }

    private static let records = Statement(
        name: "news",
        sql: """
            SELECT sequence, record FROM event WHERE sequence > $1 AND sequence <= $2
            ORDER BY sequence LIMIT $3
            """)
}

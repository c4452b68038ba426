import Platform
import PostgreSQL

/// A simulated database for threads that run freely: with PostgreSQL's locks and commits, and
/// without faults.
package final class SimulatedDatabase: SimulatedNetwork {
    private let cluster: Monitor<SimulatedCluster>
    private let clock: any Clock

    /// - Parameter clock: The clock of its deadlines.
    package init(clock: any Clock) {
        self.clock = clock
        cluster = Monitor(SimulatedCluster(), clock: clock)
    }

    /// The connections of one client.
    package func source(_ client: Int) -> LinkSource {
        source(client, SessionSettings(schema: "ipnd"))
    }

    /// Statements that the simulation does not support; tests expect none.
    package var unknownStatements: Set<String> { cluster.withLock { $0.unknown } }

    func connect(
        _ client: Int, lockNanosecondsMax: UInt64
    ) throws(PostgresError) -> Int {
        let result = cluster.withLock { cluster in
            Result { () throws(PostgresError) in
                try cluster.connect(client, lockNanosecondsMax: lockNanosecondsMax)
            }
        }
        return try result.get()
    }

    func send(_ client: Int, _ id: Int, _ commands: [Command]) {
        cluster.withLock { $0.send(id, commands) }
        cluster.wakeAll()
    }

    func receive(
        _ client: Int, _ id: Int, until deadline: MonotonicTime
    ) -> SimulatedSession.Reply? {
        defer { cluster.wakeAll() }
        return cluster.wait { cluster in
            cluster.now = clock.now.nanoseconds
            if let reply = cluster.takeReply(id) { return .go(reply) }
            cluster.progress()
            if let reply = cluster.takeReply(id) { return .go(reply) }
            if clock.now >= deadline { return .go(nil) }
            let timeout = MonotonicTime(nanoseconds: cluster.nextTimeout ?? .max)
            return .wait(until: min(deadline, timeout))
        }
    }

    func awaitNotification(_ client: Int, _ id: Int, until deadline: MonotonicTime) -> Bool {
        cluster.wait { cluster in
            if cluster.takeNotification(id) { return .go(true) }
            if clock.now >= deadline || !cluster.isOpen(id) { return .go(false) }
            return .wait(until: deadline)
        }
    }

    func abandon(_ id: Int) {
        cluster.withLock { $0.abandon(id) }
        cluster.wakeAll()
    }

    func isOpen(_ id: Int) -> Bool { cluster.withLock { $0.isOpen(id) } }
}

import Platform
import Store

/// How the committer comes to a connection, and what it does while it has none.
extension DatabaseCommitter {
    /// Waits for a connection, and answers those whose time is up.
    func awaitSession() {
        if environment.now() >= trust.nextAttempt { connector.begin() }
        switch connector.take() {
        case .session(let opened): adopt(opened)
        case .failure(let failure):
            health.noteFailure(failure.reason, "\(failure)")
            trust.postpone(at: environment.now())
        case .pending: queue.sleep(until: waking)
        }
        again = withoutExpired(again)
        let limit = environment.now().advanced(nanoseconds: Self.restNanosecondsMin)
        for task in queue.takeExpired(at: limit) { refuse(task, .databaseUnavailable) }
        if queue.isClosed {
            // Nobody waits for a database that is away when the server stops.
            var rest = again
            again = []
            queue.take(into: &rest, countMax: .max, bytesMax: .max)
            for task in rest { refuse(task, .shuttingDown) }
        }
    }

    /// When there is something to do while there is no connection.
    private var waking: MonotonicTime {
        let attempt = max(trust.nextAttempt, environment.now().advanced(nanoseconds: 1_000_000))
        let soon = environment.now().advanced(seconds: 1)
        let first = again.reduce(queue.firstDeadline) { min($0, $1.deadline) }
        return min(connector.isConnecting ? soon : attempt, first, soon)
    }

    private func adopt(_ opened: DatabaseSession) {
        if let store, store != opened.store {
            opened.link.close()
            health.noteFailure(
                "database_replaced",
                "the database holds the store \(opened.store), and \(store) was used before; "
                    + "correct the connection string, or restart to go on with this one")
            return trust.postpone(at: environment.now())
        }
        store = opened.store
        session = opened
        health.noteConnection()
        // A batch that is to be run again says whether it is well.
        if again.isEmpty { noteConnection(opened) }
    }

    func noteConnection(_ session: DatabaseSession) {
        if trust.trustsConnections(at: environment.now()) { health.noteSuccess(session.link.host) }
    }
}

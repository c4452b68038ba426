import Platform
import Synchronization

/// Whether the database answers, for `/readyz`, the metrics and, once for each change, the log.
package final class DatabaseHealth: Sendable {
    /// A change for the operator.
    package enum Change: Sendable, Equatable {
        /// The database does not answer, for this reason.
        case away(reason: String, text: String)
        /// The database answers.
        case back(host: String)
    }

    private struct State: ~Copyable {
        var reason: String? = "database_not_connected"
        var isReported = false
        var outage: MonotonicTime?
        var store: String?
        /// Whether there is a connection, so that submissions are tried.
        var isConnected = false
    }

    private let state: Mutex<State>
    private let clock: any Clock
    private let report: @Sendable (Change) -> Void
    private let patienceSeconds: Int

    /// - Parameter patienceSeconds: Time that submissions may wait for a database that is away.
    init(
        patienceSeconds: Int, clock: any Clock,
        report: @escaping @Sendable (Change) -> Void
    ) {
        state = Mutex(State(outage: clock.now))
        self.clock = clock
        self.patienceSeconds = patienceSeconds
        self.report = report
    }

    /// The reason code of the current problem; nil without one.
    package var reason: String? { state.withLock { $0.reason } }

    /// The identity of the store in the database, as 32 hexadecimal digits; nil until its last
    /// record is known.
    package var store: String? { state.withLock { $0.store } }

    /// Notes the store that readers use. It is set once: another store does not replace it.
    func noteStore(_ store: String) {
        state.withLock { state in
            if state.store == nil { state.store = store }
        }
    }

    /// Whether it has been away for so long that submissions are refused at once: a failover that a
    /// request can wait for would be over.
    var refuses: Bool {
        let now = clock.now
        return state.withLock { state in
            guard let outage = state.outage, !state.isConnected else { return false }
            return outage.advanced(seconds: patienceSeconds) <= now
        }
    }

    func noteFailure(_ reason: String, _ text: String) {
        let isNew = state.withLock { state in
            if state.outage == nil { state.outage = clock.now }
            state.isConnected = false
            defer { (state.reason, state.isReported) = (reason, true) }
            return state.reason != reason || !state.isReported
        }
        if isNew { report(.away(reason: reason, text: text)) }
    }

    /// Notes a new connection, before a batch shows whether it can be written to.
    func noteConnection() { state.withLock { $0.isConnected = true } }

    func noteSuccess(_ host: String) {
        let isNew = state.withLock { state in
            defer { (state.reason, state.isReported, state.outage) = (nil, true, nil) }
            return state.reason != nil
        }
        if isNew { report(.back(host: host)) }
    }
}

import Platform
import Synchronization

/// Whether the database answers: what `/readyz` and the metrics say, and what the log is told once
/// for each change.
package final class DatabaseHealth: Sendable {
    /// Something that an operator should know, once.
    package enum News: Sendable, Equatable {
        /// It does not answer, for this reason.
        case away(reason: String, text: String)
        /// It answers.
        case back(host: String)
    }

    private struct State: ~Copyable {
        var reason: String? = "database_not_connected"
        var isTold = false
        var outage: MonotonicTime?
        var store: String?
        /// There is a connection: what comes is tried.
        var isConnected = false
    }

    private let state: Mutex<State>
    private let clock: any Clock
    private let tell: @Sendable (News) -> Void
    private let patienceSeconds: Int

    /// - Parameter patienceSeconds: How long submissions may wait for a database that is away.
    init(
        patienceSeconds: Int, clock: any Clock,
        tell: @escaping @Sendable (News) -> Void
    ) {
        state = Mutex(State(outage: clock.now))
        self.clock = clock
        self.patienceSeconds = patienceSeconds
        self.tell = tell
    }

    /// The reason code of what is wrong; nil when nothing is.
    package var reason: String? { state.withLock { $0.reason } }

    /// Which store the database holds, as 32 hexadecimal digits; nil until its last record is
    /// known.
    package var store: String? { state.withLock { $0.store } }

    /// What readers need is known. Another store does not take the place of the first.
    func noteStore(_ store: String) {
        state.withLock { state in
            if state.store == nil { state.store = store }
        }
    }

    /// Whether it has been away for so long that nobody is to wait for it any more: the failover
    /// that a request can wait for is over by then.
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
            defer { (state.reason, state.isTold) = (reason, true) }
            return state.reason != reason || !state.isTold
        }
        if isNew { tell(.away(reason: reason, text: text)) }
    }

    /// There is a connection again, and whether it can be written to is about to be seen.
    func noteConnection() { state.withLock { $0.isConnected = true } }

    func noteSuccess(_ host: String) {
        let isNew = state.withLock { state in
            defer { (state.reason, state.isTold, state.outage) = (nil, true, nil) }
            return state.reason != nil
        }
        if isNew { tell(.back(host: host)) }
    }
}

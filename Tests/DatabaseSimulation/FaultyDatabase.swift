import Platform
import PostgreSQL
import Synchronization
import TestSupport

/// A simulated cluster whose clients take turns, so that a run is deterministic: the threads of
/// instances and readers run one at a time, and each yields with every message that it sends. A
/// plan injects faults at chosen messages. Time passes only when no client can continue.
package final class FaultyDatabase: Sendable {
    /// The next of the clients that can continue.
    package enum Order: Sendable, CustomStringConvertible {
        /// The same client, as long as it can continue.
        case stay
        /// Each client in turn.
        case rotate
        case random(seed: UInt64)

        package var description: String {
            switch self {
            case .stay: "each as long as it can"
            case .rotate: "in turn"
            case .random(let seed): "at random (\(seed))"
            }
        }
    }

    private struct State: ~Copyable {
        var turns: TurnTable
        var cluster = SimulatedCluster()
        var accidents: AccidentPlan
        /// The connections of each client.
        var sessions: [Int: [Int]] = [:]
        var dead: Set<Int> = []
        /// The fates of a connection's messages that were not answered yet.
        var courses: [Int: [AccidentPlan.Course]] = [:]
        var overlapCount = 0
    }

    private let state: Mutex<State>
    private let signals: [Monitor<Bool>]
    private let processes: Int
    private let messagesMax: Int
    /// Kills a process.
    private let kill: @Sendable (_ process: Int) -> Void

    /// - Parameter processes: Number of processes, to which the clients are assigned in turn.
    package init(
        clients: Int, processes: Int, plan: [Int: [SimulatedFault]], order: Order,
        messagesMax: Int = 2000,
        kill: @escaping @Sendable (_ process: Int) -> Void
    ) {
        state = Mutex(
            State(
                turns: TurnTable(clients: clients, order: order),
                accidents: AccidentPlan(plan)))
        signals = (0..<clients).map { _ in Monitor(false) }
        self.processes = processes
        self.messagesMax = messagesMax
        self.kill = kill
    }

    /// Number of sent messages, those that open a connection included.
    package var messageCount: Int { state.withLock { $0.turns.messageCount } }
    /// Whether the run has sent so many messages that it will not end.
    package var isOverdue: Bool { messageCount >= messagesMax }
    package var now: MonotonicTime { state.withLock { MonotonicTime(nanoseconds: $0.turns.now) } }
    package var unknownStatements: Set<String> { state.withLock { $0.cluster.unknown } }
    /// Number of injected faults.
    package var faultCount: Int { state.withLock { $0.accidents.happenedCount } }

    /// Number of messages that were sent before the answer to the previous one was received.
    package var overlapCount: Int { state.withLock { $0.overlapCount } }

    /// The connections of one client.
    package func source(_ client: Int) -> LinkSource {
        source(client, SessionSettings(schema: "ipnd"))
    }

    /// Starts another process in place of a killed one.
    package func revive(_ process: Int) { _ = state.withLock { $0.dead.remove(process) } }

    /// Repairs the cluster, so that the remaining work runs without faults.
    package func heal() {
        state.withLock { state in
            state.accidents.clear()
            state.dead = []
            state.cluster.isRefusing = false
            state.cluster.retireOld()
            state.cluster.endWaits(nil)
            state.cluster.setReplicating(true)
            state.turns.noteNews()
        }
    }

    /// Fails over now.
    package func failOver() {
        state.withLock { state in
            state.cluster.failOver(oldStaysUp: false)
            state.turns.noteNews()
        }
    }

    // MARK: Turns

    /// Runs each body on a separate thread, one at a time, until all have ended.
    package func run(_ bodies: [@Sendable () -> Void]) {
        let threads = bodies.enumerated().map { client, body in
            PlatformThread(name: "sim-\(client)") { [self] in
                awaitSignal(client)
                body()
                leave(client)
            }
        }
        signal(state.withLock { $0.turns.first(bodies.count) })
        for thread in threads { thread.join() }
    }

    /// Yields until the deadline, or until the client is woken.
    package func rest(until deadline: MonotonicTime) {
        pass(state.withLock { $0.turns.current }, .sleeping, until: deadline)
    }

    /// Waits until this many more messages were sent, at most until the deadline.
    package func await(_ client: Int, messages: Int, until deadline: MonotonicTime) {
        pass(client, .messages(messageCount + messages), until: deadline)
    }

    package func wake(_ client: Int) { state.withLock { $0.turns.wake(client) } }

    private func pass(_ client: Int, _ wait: TurnTable.Wait, until deadline: MonotonicTime) {
        let next = state.withLock { state -> Int? in
            state.turns.set(client, wait, until: deadline.nanoseconds)
            return Self.next(&state)
        }
        guard let next, next != client else { return }
        signal(next)
        awaitSignal(client)
    }

    private func leave(_ client: Int) {
        let next = state.withLock { state -> Int? in
            state.turns.set(client, .done, until: .max)
            return Self.next(&state)
        }
        if let next { signal(next) }
    }

    /// Returns the next client; advances the time if none can continue. Nil when all have ended.
    private static func next(_ state: inout State) -> Int? {
        while true {
            if let next = state.turns.next() { return next }
            let times = [
                state.turns.nextDeadline, state.accidents.nextTime, state.cluster.nextTimeout,
            ]
            guard let time = times.compactMap(\.self).min(), time < .max else { return nil }
            state.turns.advance(to: time)
            state.cluster.now = state.turns.now
            state.accidents.perform(at: state.turns.now, on: &state.cluster)
            state.cluster.progress()
            state.turns.noteNews()
        }
    }

    private func signal(_ client: Int) {
        signals[client].withLock { $0 = true }
        signals[client].wakeOne()
    }

    private func awaitSignal(_ client: Int) {
        signals[client].wait { isSignalled -> Monitor<Bool>.Decision<Void> in
            guard isSignalled else { return .wait(until: .never) }
            isSignalled = false
            return .go(())
        }
    }
}

extension FaultyDatabase: SimulatedNetwork {
    func connect(
        _ client: Int, lockNanosecondsMax: UInt64
    ) throws(PostgresError) -> Int {
        pass(client, .ready, until: .never)
        let (course, result) = state.withLock {
            state -> (AccidentPlan.Course, Result<Int, PostgresError>) in
            guard !state.dead.contains(client % processes) else {
                return (.normal, .failure(.unreachable("the process was killed")))
            }
            let course = Self.meet(&state, client, nil)
            if case .killBefore = course { return (course, .failure(.lost("killed"))) }
            if case .cut = course { return (course, .failure(.unreachable("cut"))) }
            let result = Result { () throws(PostgresError) in
                try state.cluster.connect(client, lockNanosecondsMax: lockNanosecondsMax)
            }
            if case .success(let id) = result { state.sessions[client, default: []].append(id) }
            return (course, result)
        }
        switch course {
        case .killBefore, .killAfter: die(client)
        case .cut: throw .unreachable("the connection was cut")
        default: break
        }
        return try result.get()
    }

    /// Injects the fault of a new message.
    private static func meet(
        _ state: inout State, _ client: Int, _ id: Int?
    ) -> AccidentPlan.Course {
        state.turns.countMessage()
        state.turns.noteNews()
        return state.accidents.meet(
            state.turns.messageCount, client: client, session: id, now: state.turns.now,
            on: &state.cluster)
    }

    func send(_ client: Int, _ id: Int, _ commands: [Command]) {
        pass(client, .ready, until: .never)
        let course = state.withLock { state -> AccidentPlan.Course in
            guard !state.dead.contains(client % processes) else { return .cut }
            let course = Self.meet(&state, client, id)
            switch course {
            case .cut, .killBefore: break
            case .late: state.cluster.hold(id, commands)
            default:
                state.cluster.send(id, commands)
                state.accidents.finish(on: &state.cluster)
            }
            if state.courses[id]?.isEmpty == false { state.overlapCount += 1 }
            state.courses[id, default: []].append(course)
            return course
        }
        if case .killBefore = course { die(client) }
    }

    func receive(
        _ client: Int, _ id: Int, until deadline: MonotonicTime
    ) -> SimulatedSession.Reply? {
        let cut = SimulatedSession.Reply(results: .failure(.lost("the connection was cut")))
        let course = state.withLock { state -> AccidentPlan.Course in
            let isDead = state.dead.contains(client % processes)
            guard !isDead, state.courses[id]?.isEmpty == false else { return .cut }
            return state.courses[id]?.removeFirst() ?? .cut
        }
        switch course {
        case .cut, .killBefore: return cut
        case .silence, .late:
            while now < deadline { pass(client, .sleeping, until: deadline) }
            return nil
        default: break
        }
        guard let reply = awaitReply(client, id, until: deadline) else { return nil }
        switch course {
        case .loseAnswer:
            end(id)
            return cut
        case .cutAfter: end(id)
        case .killAfter:
            die(client)
            return cut
        default: break
        }
        return reply
    }

    private func awaitReply(
        _ client: Int, _ id: Int, until deadline: MonotonicTime
    ) -> SimulatedSession.Reply? {
        while true {
            let reply = state.withLock { $0.cluster.takeReply(id) }
            if let reply { return reply }
            if now >= deadline { return nil }
            pass(client, .news, until: deadline)
        }
    }

    private func end(_ id: Int) {
        state.withLock { state in
            state.cluster.end(id)
            state.turns.noteNews()
        }
    }

    private func die(_ client: Int) {
        state.withLock { state in
            state.dead.insert(client % processes)
            for other in stride(from: client % processes, to: signals.count, by: processes) {
                for id in state.sessions.removeValue(forKey: other) ?? [] {
                    state.cluster.abandon(id)
                }
            }
            state.turns.noteNews()
        }
        kill(client % processes)
    }

    func awaitNotification(_ client: Int, _ id: Int, until deadline: MonotonicTime) -> Bool {
        while true {
            let isOver = state.withLock { state -> Bool? in
                state.cluster.takeNotification(id) ? true : state.cluster.isOpen(id) ? nil : false
            }
            if let isOver { return isOver }
            if now >= deadline { return false }
            pass(client, .news, until: deadline)
        }
    }

    func abandon(_ id: Int) {
        state.withLock { state in
            guard !state.accidents.isLingering(id) else { return }
            state.cluster.abandon(id)
            state.turns.noteNews()
        }
    }

    func isOpen(_ id: Int) -> Bool { state.withLock { $0.cluster.isOpen(id) } }
}

extension FaultyDatabase {
    /// The records of a new primary if the present one failed now: the sequence and the bytes of
    /// each.
    package var survivingRecords: [(sequence: Int64, bytes: [UInt8])] {
        state.withLock { $0.cluster.survivors.records }
    }

    /// The visible records of the primary.
    package var visibleRecords: [(sequence: Int64, bytes: [UInt8])] {
        state.withLock { $0.cluster.visible.records }
    }

    /// The visible file of keys; nil where nothing was sealed.
    package var visibleKeys: [UInt8]? { state.withLock { $0.cluster.visible.sealing?.keys } }

    /// The visible hash chain.
    package var visibleChain: SimulatedChain {
        state.withLock { $0.cluster.visible.chainOfBatches }
    }
}

/// The batches by first sequence, and the head.
package struct SimulatedChain: Sendable {
    package var batches: [(first: Int64, count: Int, hash: [UInt8])]
    package var sequence: Int64
    package var head: [UInt8]
}

extension SimulatedTables {
    var records: [(sequence: Int64, bytes: [UInt8])] {
        events.map { ($0.sequence, $0.row[4] ?? []) }
    }

    var chainOfBatches: SimulatedChain {
        SimulatedChain(
            batches: batches.sorted { $0.key < $1.key }.map { first, row in
                (first, Int(SimulatedValue.integer(row[1] ?? [])), row[2] ?? [])
            }, sequence: sequence, head: chain)
    }
}

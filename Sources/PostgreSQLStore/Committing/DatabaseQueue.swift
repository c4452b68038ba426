import Platform
import Store

/// What waits for the committer: bounded, filled by many threads, emptied by one.
final class DatabaseQueue: Sendable {
    private struct State {
        var tasks: [BatchTask] = []
        var bytes = 0
        var isClosed = false
        /// Somebody wants the committer for something else than a task.
        var isWanted = false
        /// The committer sleeps until so many wait; nil when it is awake.
        var sleepsFor: Int?
    }

    private let state: Monitor<State>
    private let submissionsMax: Int
    private let bytesMax: Int
    private let environment: DatabaseEnvironment

    init(
        submissionsMax: Int, bytesMax: Int, environment: DatabaseEnvironment
    ) {
        state = Monitor(State(), clock: environment.clock)
        self.submissionsMax = submissionsMax
        self.bytesMax = bytesMax
        self.environment = environment
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
    var isClosedAndEmpty: Bool { state.withLock { $0.isClosed && $0.tasks.isEmpty } }
    /// Whether the committer sleeps until something comes.
    var isCommitterAsleep: Bool { state.withLock { $0.sleepsFor != nil } }
    var count: Int { state.withLock { $0.tasks.count } }

    /// Adds a task, or says why not.
    func add(_ task: BatchTask) -> StoreRefusal? {
        let (refusal, wakes) = state.withLock { state -> (StoreRefusal?, Bool) in
            if state.isClosed { return (.shuttingDown, false) }
            // One always fits, however large: the limit bounds the queue, not the request.
            let fits =
                state.tasks.isEmpty
                || state.tasks.count < submissionsMax && state.bytes + task.byteCount <= bytesMax
            guard fits else { return (.overloaded, false) }
            state.tasks.append(task)
            state.bytes += task.byteCount
            return (nil, state.sleepsFor.map { state.tasks.count >= $0 } ?? false)
        }
        if wakes { state.wakeOne() }
        return refusal
    }

    /// Refuses everything from now on.
    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeOne()
    }

    /// Wakes the committer for something else than a task.
    func wake() {
        state.withLock { $0.isWanted = true }
        state.wakeOne()
    }

    /// Takes tasks from the front, at most this many and such that their bytes come to no more than
    /// that, but at least one.
    func take(into tasks: inout [BatchTask], countMax: Int, bytesMax: Int) {
        let taken = state.withLock { state in
            var (count, bytes) = (0, 0)
            for task in state.tasks.prefix(max(0, countMax)) {
                if count > 0 && bytes + task.byteCount > bytesMax { break }
                count += 1
                bytes += task.byteCount
            }
            defer {
                state.tasks.removeFirst(count)
                state.bytes -= bytes
            }
            return state.tasks.prefix(count)
        }
        tasks.append(contentsOf: taken)
    }

    /// Removes and returns the tasks whose time is up.
    func takeExpired(at now: MonotonicTime) -> [BatchTask] {
        state.withLock { state in
            let expired = state.tasks.filter { $0.deadline <= now }
            guard !expired.isEmpty else { return [] }
            state.tasks.removeAll { $0.deadline <= now }
            state.bytes -= expired.reduce(0) { $0 + $1.byteCount }
            return expired
        }
    }

    /// When the time of the first of them is up: they have come in this order.
    var firstDeadline: MonotonicTime { state.withLock { $0.tasks.first?.deadline ?? .never } }

    /// Sleeps until there is something to take, the queue is closed, `wake` is called or the time
    /// has come.
    func awaitTasks(until deadline: MonotonicTime) { sleep(until: deadline, orTasks: 1) }

    /// The same until so many wait, where there are some already.
    func gather(_ countMin: Int, until deadline: MonotonicTime) {
        guard count > 0 else { return }
        sleep(until: deadline, orTasks: countMin)
    }

    /// Sleeps until the queue is closed, `wake` is called or the time has come.
    func sleep(until deadline: MonotonicTime) { sleep(until: deadline, orTasks: .max) }

    private func sleep(until deadline: MonotonicTime, orTasks countMin: Int) {
        let isAwake = state.wait { state -> Monitor<State>.Decision<Bool> in
            state.sleepsFor = nil
            if state.isClosed || state.isWanted || state.tasks.count >= countMin
                || environment.now() >= deadline
            {
                state.isWanted = false
                return .go(true)
            }
            if environment.sleep != nil { return .go(false) }
            state.sleepsFor = countMin
            return .wait(until: deadline)
        }
        if !isAwake { environment.sleep?(deadline) }
    }
}

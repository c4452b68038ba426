import Platform
import Store

/// The tasks that wait for the committer: bounded, filled by many threads, emptied by one.
final class DatabaseQueue: Sendable {
    private struct State {
        var tasks: [BatchTask] = []
        /// Number of their events.
        var events = 0
        var bytes = 0
        var isClosed = false
        /// Whether the committer was woken for a reason other than a task.
        var isWanted = false
        /// The committer sleeps until this many tasks wait; nil while it is awake.
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
    /// Whether the committer sleeps until a task arrives.
    var isCommitterAsleep: Bool { state.withLock { $0.sleepsFor != nil } }
    var count: Int { state.withLock { $0.tasks.count } }

    /// Adds a task, or returns the reason for refusing it.
    func add(_ task: BatchTask) -> StoreRefusal? {
        let (refusal, wakes) = state.withLock { state -> (StoreRefusal?, Bool) in
            if state.isClosed { return (.shuttingDown, false) }
            // One task always fits, however large: the limit bounds the queue, not the request.
            let fits =
                state.tasks.isEmpty
                || state.events < submissionsMax && state.bytes + task.byteCount <= bytesMax
            guard fits else { return (.overloaded, false) }
            state.tasks.append(task)
            state.events += task.count
            state.bytes += task.byteCount
            return (nil, state.sleepsFor.map { state.tasks.count >= $0 } ?? false)
        }
        if wakes { state.wakeOne() }
        return refusal
    }

    /// Refuses all further tasks.
    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeOne()
    }

    /// Wakes the committer for a reason other than a task.
    func wake() {
        state.withLock { $0.isWanted = true }
        state.wakeOne()
    }

    /// Takes tasks from the front: at most `countMax` events, with at most `bytesMax` bytes in all,
    /// but at least one task, and none of a `countMax` below 1.
    func take(into tasks: inout [BatchTask], countMax: Int, bytesMax: Int) {
        let taken = state.withLock { state in
            var (count, events, bytes) = (0, 0, 0)
            for task in state.tasks {
                let fits = events + task.count <= countMax && bytes + task.byteCount <= bytesMax
                guard fits || count == 0 && countMax > 0 else { break }
                count += 1
                events += task.count
                bytes += task.byteCount
            }
            defer {
                state.tasks.removeFirst(count)
                state.events -= events
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
            state.events -= expired.reduce(0) { $0 + $1.count }
            state.bytes -= expired.reduce(0) { $0 + $1.byteCount }
            return expired
        }
    }

    /// The deadline of the first task, which is the earliest because tasks are in order of arrival.
    var firstDeadline: MonotonicTime { state.withLock { $0.tasks.first?.deadline ?? .never } }

    /// Sleeps until a task waits, the queue is closed, `wake` is called or the deadline has passed.
    func awaitTasks(until deadline: MonotonicTime) { sleep(until: deadline, orTasks: 1) }

    /// Like `awaitTasks`, but until `countMin` tasks wait. Returns at once if none waits.
    func gather(_ countMin: Int, until deadline: MonotonicTime) {
        guard count > 0 else { return }
        sleep(until: deadline, orTasks: countMin)
    }

    /// Sleeps until the queue is closed, `wake` is called or the deadline has passed.
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

import Synchronization

/// The threads of all tasks that have no thread of their own: the start, reloads, waits of pages
/// and lists, SQL. They are what Swift's pool would be used for.
///
/// Swift's pool belongs to libdispatch, which from the first job on checks on its threads every
/// second, as long as the process lives, and nothing turns that off. These threads sleep in the
/// kernel until there is a job, or until the first deadline of a sleeping task. A task comes here
/// through its executor preference (Swift evolution, SE-0417), which an unstructured task does not
/// inherit, so each names it; `TidyTests` finds one that does not.
///
/// A job may block. While all threads are busy, another one starts, up to `threadsMax`.
package final class WorkerPool: TaskExecutor {
    package static let shared = WorkerPool()

    /// More than the connections to the index, whose queries block.
    static let threadsMax = 16

    private struct State {
        /// In order; those before `taken` have begun.
        var jobs: [UnownedJob] = []
        var taken = 0
        /// The tasks that sleep.
        var alarms = TimerHeap()
        /// Whether an idle thread waits for the first alarm.
        var hasTimekeeper = false
        var threads = 0
        var idle = 0

        /// Takes the next work; nil if there is none now.
        mutating func next(at now: MonotonicTime) -> Work? {
            if let alarm = alarms.popDue(at: now) { return .alarm(alarm) }
            guard taken < jobs.count else { return nil }
            defer {
                taken += 1
                if taken == jobs.count {
                    jobs.removeAll(keepingCapacity: true)
                    taken = 0
                }
            }
            return .job(jobs[taken])
        }

        /// Counts a thread, which the caller then starts, if there is work and no idle thread.
        mutating func addThread() -> Bool {
            guard idle == 0, threads < WorkerPool.threadsMax,
                !jobs.isEmpty || alarms.nextTime != nil
            else { return false }
            threads += 1
            return true
        }
    }

    private enum Work {
        case job(UnownedJob)
        case alarm(Alarm)
    }

    private let clock: any Clock
    private let state: Monitor<State>

    /// - Parameter clock: The clock of ``wait(until:)``.
    init(clock: any Clock = SystemClock()) {
        self.clock = clock
        state = Monitor(State(), clock: clock)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            return state.addThread()
        }
        state.wakeOne()
        if needsThread { startThread() }
    }

    /// Runs `body`, which may block, on one of these threads.
    package func run<Result: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(self) { () async throws(Failure) in try body() }
    }

    /// Suspends the task until `deadline`. Throws `CancellationError` when the task is cancelled.
    package func wait(until deadline: MonotonicTime) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                add(sleeper, until: deadline, continuation)
            }
        } onCancel: {
            cancel(sleeper)
        }
    }

    // MARK: Threads

    private func startThread() {
        let thread: PlatformThread? = PlatformThread(ifAvailable: "ipnd-work") { [self] in run() }
        guard let thread else {
            let isFirst = state.withLock { state in
                state.threads -= 1
                return state.threads == 0
            }
            precondition(!isFirst, "the kernel gives no thread")
            return
        }
        thread.detach()
    }

    private func run() -> Never {
        let executor = asUnownedTaskExecutor()
        while true {
            switch take() {
            case .job(let job): job.runSynchronously(on: executor)
            case .alarm(let alarm): alarm.fire()
            }
        }
    }

    /// Waits for work.
    private func take() -> Work {
        var (isIdle, isTimekeeper) = (false, false)
        var (needsThread, needsTimekeeper) = (false, false)
        let work = state.wait { state -> Monitor<State>.Decision<Work> in
            if isTimekeeper { (isTimekeeper, state.hasTimekeeper) = (false, false) }
            if let work = state.next(at: clock.now) {
                if isIdle { state.idle -= 1 }
                needsThread = state.addThread()
                needsTimekeeper = !state.hasTimekeeper && state.alarms.nextTime != nil
                return .go(work)
            }
            if !isIdle { (isIdle, state.idle) = (true, state.idle + 1) }
            guard !state.hasTimekeeper, let next = state.alarms.nextTime else {
                return .wait(until: .never)
            }
            (isTimekeeper, state.hasTimekeeper) = (true, true)
            return .wait(until: next)
        }
        if needsTimekeeper { state.wakeOne() }
        if needsThread { startThread() }
        return work
    }

    // MARK: Sleeping tasks

    /// Number of sleeping tasks.
    var sleeping: Int { state.withLock { $0.alarms.count } }

    /// `@unchecked Sendable`: touched only under the pool's lock.
    private final class Sleeper: @unchecked Sendable {
        let alarm = Alarm()
        var continuation: UnsafeContinuation<Void, any Error>?
        var isCancelled = false
    }

    private func add(
        _ sleeper: Sleeper, until deadline: MonotonicTime,
        _ continuation: UnsafeContinuation<Void, any Error>
    ) {
        var (isFirst, needsThread) = (false, false)
        let isCancelled = state.withLock { state in
            if sleeper.isCancelled { return true }
            sleeper.continuation = continuation
            sleeper.alarm.deadline = deadline
            sleeper.alarm.fire = { continuation.resume() }
            state.alarms.schedule(sleeper.alarm)
            isFirst = state.alarms.nextTime == deadline
            needsThread = state.addThread()
            return false
        }
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        // The thread that waits for the first alarm waits for this one now.
        if isFirst { state.wakeAll() }
        if needsThread { startThread() }
    }

    private func cancel(_ sleeper: Sleeper) {
        let continuation = state.withLock { state in
            sleeper.isCancelled = true
            // One that has been taken fires.
            guard sleeper.alarm.isScheduled else {
                return nil as UnsafeContinuation<Void, any Error>?
            }
            state.alarms.remove(sleeper.alarm)
            return sleeper.continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}

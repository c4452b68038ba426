import Synchronization

/// One thread for all actors whose work is not urgent. It yields to the intake when the processor
/// is busy. ``WorkerPool`` is shared by everything and runs at the intake's priority.
///
/// An actor runs here through its `unownedExecutor`. Its tasks should prefer this executor too:
/// resuming a continuation would otherwise go through the pool first, at the cost of two thread
/// switches.
///
/// It lives as long as the process and sleeps in the kernel while it has no work.
package final class BackgroundExecutor: SerialExecutor, TaskExecutor {
    package static let shared = BackgroundExecutor()

    /// Gives the thread a third of the share of an intake thread when both want the whole processor
    /// (sched(7)). With a tenth, deliveries timed out on a busy machine.
    package static let niceness: Int32 = 5

    private struct State: ~Copyable {
        var jobs: [UnownedJob] = []
        /// Whether the thread waits, or is about to.
        var isAsleep = false
    }

    private let state = Mutex(State())
    private let signal = WakeSignal()

    private init() {
        PlatformThread.detached(name: "ipnd-background", niceness: Self.niceness) { [self] in
            run()
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWake = state.withLock { state in
            state.jobs.append(job)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if mustWake { signal.wake() }
    }

    private func run() -> Never {
        let executor = asUnownedSerialExecutor()
        var jobs: [UnownedJob] = []
        while true {
            state.withLock { state in
                swap(&jobs, &state.jobs)
                state.isAsleep = jobs.isEmpty
            }
            if jobs.isEmpty { signal.wait() }
            for job in jobs { job.runSynchronously(on: executor) }
            jobs.removeAll(keepingCapacity: true)
        }
    }
}

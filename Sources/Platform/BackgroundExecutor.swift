import Synchronization

/// One thread for all actors whose work nobody waits for, behind the intake wherever the processor
/// is short. The threads of Swift's own pool are everybody's, and as important as the intake's.
///
/// An actor runs here by its `unownedExecutor`. Its tasks should prefer this executor, too: what a
/// continuation resumes would go through the pool first, two switches of threads for nothing.
///
/// It lives as long as the process, and sleeps in the kernel while there is nothing to do.
package final class BackgroundExecutor: SerialExecutor, TaskExecutor {
    package static let shared = BackgroundExecutor()

    /// A third of what a thread of the intake gets where both want the whole processor (sched(7)).
    /// With a tenth, deliveries timed out on a machine that others kept busy.
    package static let niceness: Int32 = 5

    private struct State: ~Copyable {
        var jobs: [UnownedJob] = []
        /// The thread waits, or is about to.
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

import Glibc

/// A lock around a value, and a condition that threads wait for under it (pthread_mutex_lock(3),
/// pthread_cond_wait(3)). `Synchronization.Mutex` has no condition.
///
/// `@unchecked Sendable`: `state` is only reached under `mutex`, and nothing else changes after
/// `init`.
package final class Monitor<State>: @unchecked Sendable {
    @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    @usableFromInline let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    @usableFromInline var state: State
    @usableFromInline let clock: any Clock
    private var moves: (any Sendable & AnyObject)?

    /// What a thread that waits does next.
    package enum Decision<Result> {
        /// It continues, with this.
        case go(Result)
        /// It sleeps until it is woken, at the latest at this point of the monitor's clock, and
        /// decides again. It may also be woken for nothing.
        case wait(until: MonotonicTime)
    }

    /// - Parameter clock: Whose time the deadlines of `wait` are.
    package init(_ state: sending State, clock: any Clock = SystemClock()) {
        self.state = state
        self.clock = clock
        pthread_mutex_init(mutex, nil)
        // Deadlines count on the monotonic clock: a wall clock that is set back must not prolong
        // them.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
        moves = clock.onMove { [weak self] in self?.lookAgain() }
    }

    /// Wakes every thread after the clock was moved. The lock is taken, so that no thread is
    /// between its look at the clock and its sleep.
    private func lookAgain() {
        pthread_mutex_lock(mutex)
        pthread_mutex_unlock(mutex)
        wakeAll()
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` under the lock.
    @inlinable package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Runs `decide` under the lock, at once and again after each sleep, until it says `go`.
    @inlinable package func wait<Result>(
        _ decide: (inout State) -> Decision<Result>
    ) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch decide(&state) {
            case .go(let result): return result
            case .wait(until: .never): pthread_cond_wait(changed, mutex)
            case .wait(until: let time):
                let deadline = clock.kernelTime(of: time)
                guard deadline != .never else {
                    pthread_cond_wait(changed, mutex)
                    continue
                }
                var time = timespec(
                    tv_sec: Int(deadline.nanoseconds / 1_000_000_000),
                    tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
                pthread_cond_timedwait(changed, mutex, &time)
            }
        }
    }

    /// Wakes one thread that waits. Best called without the lock, which that thread takes first.
    @inlinable package func wakeOne() { pthread_cond_signal(changed) }

    /// Wakes all threads that wait.
    @inlinable package func wakeAll() { pthread_cond_broadcast(changed) }
}

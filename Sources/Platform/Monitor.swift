package import Glibc

/// A value under a lock, with a condition that threads can wait for (pthread_mutex_lock(3),
/// pthread_cond_wait(3)). `Synchronization.Mutex` has no condition.
///
/// `@unchecked Sendable`: `state` is accessed only under `mutex`, and nothing else changes after
/// `init`.
package final class Monitor<State>: @unchecked Sendable {
    @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    @usableFromInline let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    @usableFromInline var state: State
    @usableFromInline let clock: any Clock
    private var moves: (any Sendable & AnyObject)?

    /// The next step of a waiting thread.
    package enum Decision<Result> {
        /// Continue with this result.
        case go(Result)
        /// Sleep until woken, at the latest until this time of the monitor's clock, then decide
        /// again. A wake-up may be spurious.
        case wait(until: MonotonicTime)
    }

    /// - Parameter clock: The clock of the deadlines of `wait`.
    package init(_ state: sending State, clock: any Clock = SystemClock()) {
        self.state = state
        self.clock = clock
        pthread_mutex_init(mutex, nil)
        // Deadlines use the monotonic clock: setting the wall clock back must not extend them.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
        moves = clock.onMove { [weak self] in self?.lookAgain() }
    }

    /// Wakes every thread after the clock was moved. Taking the lock ensures that no thread is
    /// between reading the clock and going to sleep.
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

    /// Runs `decide` under the lock, at once and again after each sleep, until it returns `go`.
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

    /// Wakes one waiting thread. Best called without the lock, which that thread takes first.
    @inlinable package func wakeOne() { pthread_cond_signal(changed) }

    /// Wakes all waiting threads.
    @inlinable package func wakeAll() { pthread_cond_broadcast(changed) }
}

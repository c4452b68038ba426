import Glibc
import Synchronization

/// What waits for the committer: bounded, filled by many threads, emptied by one in a single swap.
///
/// `@unchecked Sendable`: every `var` is read and written only between
/// `lock()` and `unlock()`. A pthread mutex and condition in place of `Mutex`, because the
/// committer must sleep until something comes, and no longer than until its next duty.
final class SubmissionQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let filled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let submissionsMax: Int
    private let bytesMax: Int
    private let deferredMax: Int
    /// Submissions wait that are not announced: more of their round is on its way, and the committer
    /// leaves them until it is complete. Changed under the mutex; read without it after every round
    /// of a loop, where it is seldom true.
    private let isDeferred = Atomic<Bool>(false)

    private var tasks: [CommitterTask] = []
    private var submissions = 0
    private var bytes = 0
    private var isClosed = false
    private var isCommitterAsleep = false

    init(submissionsMax: Int, bytesMax: Int, deferredMax: Int = 0) {
        self.submissionsMax = submissionsMax
        self.bytesMax = bytesMax
        self.deferredMax = deferredMax
        pthread_mutex_init(mutex, nil)
        // Deadlines count on the monotonic clock: a wall clock that is set back must not put the
        // committer to sleep.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(filled, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(filled)
        pthread_mutex_destroy(mutex)
        filled.deallocate()
        mutex.deallocate()
    }

    /// How many submissions and queries wait.
    var count: Int {
        lock()
        defer { unlock() }
        return tasks.count
    }

    /// Whether the committer sleeps until something comes.
    var isAwaited: Bool {
        lock()
        defer { unlock() }
        return isCommitterAsleep
    }

    /// Adds a submission of `byteCount` bytes, or says why not. One that is deferrable comes from
    /// somebody who will call `wakeForDeferred`.
    func add(
        _ task: CommitterTask, byteCount: Int, isDeferrable: Bool = false
    ) -> StoreRefusal? {
        lock()
        guard !isClosed else {
            unlock()
            return .shuttingDown
        }
        // One submission always fits, however large: the limit bounds the queue, not the request.
        guard submissions == 0 || submissions < submissionsMax && bytes + byteCount <= bytesMax
        else {
            unlock()
            return .overloaded
        }
        submissions += 1
        bytes += byteCount
        append(task, isDeferrable: isDeferrable)
        return nil
    }

    /// Announces the submissions that were left waiting for this call.
    func wakeForDeferred() {
        guard isDeferred.load(ordering: .relaxed) else { return }
        lock()
        isDeferred.store(false, ordering: .relaxed)
        let wakes = isCommitterAsleep
        unlock()
        if wakes { pthread_cond_signal(filled) }
    }

    /// Adds a query; false when the store is closed.
    func add(query task: CommitterTask) -> Bool {
        lock()
        guard !isClosed else {
            unlock()
            return false
        }
        append(task)
        return true
    }

    /// Adds what the store tells itself, closed or not.
    func add(notice task: CommitterTask) {
        lock()
        append(task)
    }

    /// Refuses everything from now on. The last task is what the committer does when all before it
    /// is done. False when it was closed before.
    func close(last task: CommitterTask) -> Bool {
        lock()
        guard !isClosed else {
            unlock()
            return false
        }
        isClosed = true
        append(task)
        return true
    }

    /// Exchanges `emptied` for everything that waits, as soon as something is announced, or after
    /// `deadline` (nanoseconds on the monotonic clock). Only the committer calls it.
    func swap(_ emptied: inout [CommitterTask], deadline: UInt64?) {
        lock()
        defer { unlock() }
        while tasks.isEmpty || isDeferred.load(ordering: .relaxed) {
            isCommitterAsleep = true
            defer { isCommitterAsleep = false }
            guard let deadline else {
                pthread_cond_wait(filled, mutex)
                continue
            }
            var time = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            if pthread_cond_timedwait(filled, mutex, &time) == ETIMEDOUT { break }
        }
        isDeferred.store(false, ordering: .relaxed)
        Swift.swap(&tasks, &emptied)
        submissions = 0
        bytes = 0
    }

    /// Appends, unlocks, and wakes the committer when it sleeps: a signal costs a system call, and
    /// a committer that takes the first of many submissions syncs twice for what once would do.
    private func append(_ task: CommitterTask, isDeferrable: Bool = false) {
        let defers = isDeferrable && tasks.count + 1 < deferredMax
        // What is announced already takes those after it along.
        let isFirst = tasks.isEmpty
        tasks.append(task)
        if !defers || isFirst || isDeferred.load(ordering: .relaxed) {
            isDeferred.store(defers, ordering: .relaxed)
        }
        let wakes = isCommitterAsleep && !defers
        unlock()
        if wakes { pthread_cond_signal(filled) }
    }

    private func lock() { pthread_mutex_lock(mutex) }

    private func unlock() { pthread_mutex_unlock(mutex) }
}

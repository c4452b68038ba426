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
    /// How long a committer with work waits at most for a round of which nothing has come yet.
    private let patienceNanoseconds: UInt64
    /// A round is in progress: more of it is on its way, and its end will be announced. Changed under
    /// the mutex; read without it after every round of a loop.
    private let isDeferred = Atomic<Bool>(false)
    /// How often a round has ended, or something came that belongs to none.
    private var announcements: UInt64 = 0

    private var tasks: [CommitterTask] = []
    private var submissions = 0
    private var bytes = 0
    private var isClosed = false
    private var isCommitterAsleep = false

    init(
        submissionsMax: Int, bytesMax: Int, deferredMax: Int = 0,
        patienceNanoseconds: UInt64 = 5_000_000
    ) {
        self.patienceNanoseconds = patienceNanoseconds
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
        announce()
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

    /// Exchanges `emptied` for everything that waits, as soon as there is something and no round is
    /// in progress, or after `deadline` (nanoseconds on the monotonic clock). Only the committer
    /// calls it.
    ///
    /// A committer that finds a round in progress waits for one announcement, whatever comes after
    /// it: it always gets to its batch, and does not sync again for the rest of that round.
    /// - Parameter answered: how many deferrable submissions it has just answered. Answers begin a
    ///   round in their loops; a few that wait already are worth no sync of their own before it.
    func swap(_ emptied: inout [CommitterTask], deadline: UInt64?, answered: Int = 0) {
        lock()
        defer { unlock() }
        var deadline = deadline
        if deferredMax > 1, !tasks.isEmpty, tasks.count * 2 < answered, !isClosed {
            isDeferred.store(true, ordering: .relaxed)
            let patience = StoreThread.now + patienceNanoseconds
            deadline = min(deadline ?? patience, patience)
        }
        let before = announcements
        while tasks.isEmpty || isDeferred.load(ordering: .relaxed) && announcements == before {
            guard awaitFilled(until: deadline) else { break }
        }
        isDeferred.store(false, ordering: .relaxed)
        Swift.swap(&tasks, &emptied)
        submissions = 0
        bytes = 0
    }

    /// Sleeps, under the mutex, until somebody signals; false when `deadline` has passed.
    private func awaitFilled(until deadline: UInt64?) -> Bool {
        isCommitterAsleep = true
        defer { isCommitterAsleep = false }
        guard let deadline else { return pthread_cond_wait(filled, mutex) == 0 }
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        return pthread_cond_timedwait(filled, mutex, &time) != ETIMEDOUT
    }

    /// Appends, unlocks, and wakes the committer when it sleeps: a signal costs a system call, and
    /// a committer that takes the first of many submissions syncs twice for what once would do.
    private func append(_ task: CommitterTask, isDeferrable: Bool = false) {
        tasks.append(task)
        let defers = isDeferrable && tasks.count < deferredMax
        if defers { isDeferred.store(true, ordering: .relaxed) } else { announce() }
        let wakes = isCommitterAsleep && !defers
        unlock()
        if wakes { pthread_cond_signal(filled) }
    }

    /// Under the mutex.
    private func announce() {
        isDeferred.store(false, ordering: .relaxed)
        announcements &+= 1
    }

    private func lock() { pthread_mutex_lock(mutex) }

    private func unlock() { pthread_mutex_unlock(mutex) }
}

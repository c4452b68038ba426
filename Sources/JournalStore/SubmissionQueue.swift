import Glibc
import Platform
import Store
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
    /// The end of a round is to be announced. Changed under the mutex; read without it after every
    /// round of a loop.
    private let wantsRoundEnd = Atomic<Bool>(false)
    /// Part of a round waits here: more of it is on its way, and its end will be announced.
    private var holdsPartOfRound = false
    /// Something waits here that belongs to no round.
    private var holdsOther = false
    /// How often a round has ended, or something came that belongs to none.
    private var roundEnds: UInt64 = 0

    /// Of the last batch, how many came in rounds: their answers begin the next one.
    private var lastRow = 0
    /// How many came in rounds since the store was opened, and have been taken or refused.
    private var answerable: UInt64 = 0
    /// How many of those have gone on with their answer.
    private let goneOn = Atomic<UInt64>(0)
    /// How many these were when a round ended the last time.
    private var goneOnAtRoundEnd: UInt64 = 0

    private var tasks: [CommitterTask] = []
    /// Of the tasks, how many came in rounds.
    private var row = 0
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
    /// somebody who will call `noteAnswerTaken` and, when a row of them ends, `wakeForDeferred`.
    func add(
        _ task: CommitterTask, byteCount: Int, isDeferrable: Bool = false
    ) -> StoreRefusal? {
        lock()
        // One submission always fits, however large: the limit bounds the queue, not the request.
        let fits =
            submissions == 0 || submissions < submissionsMax && bytes + byteCount <= bytesMax
        guard !isClosed, fits else {
            if isDeferrable { answerable += 1 }
            defer { unlock() }
            return isClosed ? .shuttingDown : .overloaded
        }
        submissions += 1
        bytes += byteCount
        append(task, isDeferrable: isDeferrable)
        return nil
    }

    /// Whoever added a deferrable submission has its answer.
    func noteAnswerTaken() { goneOn.add(1, ordering: .relaxed) }

    /// Announces the submissions that were left waiting for this call: the end of a round.
    func wakeForDeferred() {
        guard wantsRoundEnd.load(ordering: .relaxed) else { return }
        lock()
        announce()
        goneOnAtRoundEnd = goneOn.load(ordering: .relaxed)
        wantsRoundEnd.store(isAnswerOnItsWay, ordering: .relaxed)
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
    /// calls it, when it has answered all that it took before.
    ///
    /// A committer that finds a round in progress waits for one announcement, whatever comes after
    /// it: it always gets to its batch, and does not sync again for the rest of that round. Answers
    /// begin a round in their loops: a few that wait already are worth no sync of their own before
    /// that one has ended.
    func swap(_ emptied: inout [CommitterTask], deadline: UInt64?) {
        lock()
        defer { unlock() }
        var deadline = deadline
        let areFew = !tasks.isEmpty && tasks.count * 2 < lastRow
        if areFew {
            let patience = MonotonicTime.now().nanoseconds + patienceNanoseconds
            deadline = min(deadline ?? patience, patience)
        }
        let before = roundEnds
        while tasks.isEmpty || holdsPartOfRound && roundEnds == before
            || areFew && isAnswerOnItsWay && !holdsOther
        {
            guard awaitFilled(until: deadline) else { break }
        }
        handOut(&emptied)
    }

    /// The last answers have begun a round, or will, and its end has not been announced.
    private var isAnswerOnItsWay: Bool { goneOnAtRoundEnd != answerable }

    private func handOut(_ emptied: inout [CommitterTask]) {
        Swift.swap(&tasks, &emptied)
        lastRow = row
        answerable += UInt64(row)
        wantsRoundEnd.store(false, ordering: .relaxed)
        holdsPartOfRound = false
        holdsOther = false
        row = 0
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
        if isDeferrable { row += 1 }
        let defers = isDeferrable && tasks.count < deferredMax
        if defers {
            holdsPartOfRound = true
            wantsRoundEnd.store(true, ordering: .relaxed)
        } else {
            holdsOther = true
            announce()
        }
        let wakes = isCommitterAsleep && !defers
        unlock()
        if wakes { pthread_cond_signal(filled) }
    }

    /// Under the mutex.
    private func announce() {
        holdsPartOfRound = false
        roundEnds &+= 1
    }

    private func lock() { pthread_mutex_lock(mutex) }

    private func unlock() { pthread_mutex_unlock(mutex) }
}

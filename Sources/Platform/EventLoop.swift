import CLinux
import Glibc
import Synchronization
import SystemPackage

/// A thread with one epoll, which is a Swift executor: the tasks that prefer it run on that thread
/// only, one at a time, so what they share needs no lock.
///
/// A task that would block (`Channel.awaitReadable`, `sleep`) suspends; the loop resumes it when
/// the kernel has an event or its deadline has passed. Jobs from other threads come through a
/// locked inbox, and an eventfd is written only when the loop is asleep: a batch of resumptions by
/// the journal's thread costs one wake-up.
///
/// `@unchecked Sendable`: everything but `inbox` and `thread` is touched by the loop's own thread
/// only (checked by `assertOnLoop`); `inbox` is a `Mutex` and `thread` is atomic. `descriptor` and
/// `wakeup` never change.
package final class EventLoop: TaskExecutor, @unchecked Sendable {
    private struct Inbox: ~Copyable {
        var jobs: [UnownedJob] = []
        /// The thread is in (or on its way into) `epoll_wait` and must be woken.
        var asleep = false
        var stopping = false
    }

    let descriptor: Int32
    private let wakeup: Int32
    private let inbox = Mutex(Inbox())

    /// The thread that runs the loop; 0 before it starts. Atomic, because every enqueueing thread
    /// compares itself with it.
    private let thread = Atomic<pthread_t>(0)
    private var localJobs: [UnownedJob] = []
    private var runningJobs: [UnownedJob] = []
    var yielded: [UnsafeContinuation<Void, Never>] = []
    var channels = ChannelTable()
    var timers = TimerHeap()
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    /// Called on the loop when a round is over: nothing more is ready, or it has been going on for
    /// `roundNanosecondsMax`. The place for what is cheaper once for all of a round than once for
    /// each.
    package var onRoundEnd: (() -> Void)?
    /// When the present round is over whatever is ready; `never` between two.
    private var roundDeadline = MonotonicTime.never
    var roundNanosecondsMax: UInt64 = 2_000_000

    /// The monotonic clock as of this turn of the loop; good to a turn, free to read.
    package private(set) var now: MonotonicTime

    /// Whose time the deadlines on this loop are.
    package let clock: any Clock
    private var moves: (any Sendable & AnyObject)?

    /// Where a connection reads into before its parser takes the bytes: connections that are idle
    /// hold no buffer of their own.
    package let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 64)

    /// Makes the epoll and the wake-up descriptor. Throws the kernel's error.
    package init(clock: any Clock = SystemClock()) throws(Errno) {
        self.clock = clock
        now = clock.now
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeup >= 0 else {
            let error = Errno(rawValue: errno)
            Glibc.close(descriptor)
            throw error
        }
        var event = epoll_event()
        // Edge-triggered, so that nobody has to read the count back: each wake-up is an edge.
        event.events = EPOLLIN.rawValue | EPOLLET.rawValue
        event.data.u64 = ChannelTable.wakeupToken
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, wakeup, &event) == 0 else {
            throw Errno(rawValue: errno)
        }
        moves = clock.onMove { [weak self] in self?.wake() }
    }

    deinit {
        Glibc.close(wakeup)
        Glibc.close(descriptor)
        scratch.deallocate()
    }

    /// Starts the loop on a thread of its own. The thread keeps the loop alive until `stop`.
    package func start(name: String) -> PlatformThread {
        PlatformThread(name: name) { self.run() }
    }

    /// Ends `run` after its present turn. Suspended tasks are not resumed.
    package func stop() {
        inbox.withLock { $0.stopping = true }
        wake()
    }

    // MARK: Executor

    package func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        if isOnLoop {
            localJobs.append(unowned)
            return
        }
        let mustWake = inbox.withLock { inbox in
            inbox.jobs.append(unowned)
            defer { inbox.asleep = false }
            return inbox.asleep
        }
        if mustWake { wake() }
    }

    /// Whether the caller runs on this loop's thread.
    package var isOnLoop: Bool { pthread_self() == thread.load(ordering: .relaxed) }

    // MARK: The turn

    /// Runs jobs, waits for the kernel, resumes waiters; until `stop`.
    private func run() {
        thread.store(pthread_self(), ordering: .relaxed)
        now = clock.now
        while true {
            runLocalJobs()
            guard let timeout = takeInbox() else { return }
            let count = awaitEvents(timeout)
            now = clock.now
            if roundDeadline == .never {
                roundDeadline = now.advanced(nanoseconds: roundNanosecondsMax)
            }
            if timeout != 0 { takeJobs() }
            for index in 0..<max(0, Int(count)) { deliver(events[index]) }
            fireTimers()
            resumeYielded()
        }
    }

    private func runLocalJobs() {
        // One round only: a task that keeps making jobs must not keep the loop from its sockets.
        swap(&localJobs, &runningJobs)
        let preference = asUnownedTaskExecutor()
        for job in runningJobs {
            job.runSynchronously(on: preference)
        }
        runningJobs.removeAll(keepingCapacity: true)
    }

    /// Whoever woke the loop is served in this turn: its jobs come before the next look for events.
    private func takeJobs() {
        inbox.withLock { inbox in
            inbox.asleep = false
            localJobs.append(contentsOf: inbox.jobs)
            inbox.jobs.removeAll(keepingCapacity: true)
        }
    }

    /// Moves the inbox's jobs here and gives the milliseconds to sleep; nil when the loop ends.
    private func takeInbox() -> Int32? {
        inbox.withLock { inbox -> Int32? in
            if inbox.stopping { return nil }
            localJobs.append(contentsOf: inbox.jobs)
            inbox.jobs.removeAll(keepingCapacity: true)
            guard localJobs.isEmpty, yielded.isEmpty else { return 0 }
            inbox.asleep = true
            return millisecondsToNextTimer()
        }
    }

    /// Asks the kernel what is ready, and waits for it, but not within a round.
    private func awaitEvents(_ timeout: Int32) -> Int32 {
        if now >= roundDeadline { endRound() }
        let count = epoll_wait(descriptor, &events, Int32(events.count), 0)
        if timeout == 0 || count > 0 { return count }
        endRound()
        return epoll_wait(descriptor, &events, Int32(events.count), timeout)
    }

    private func endRound() {
        roundDeadline = .never
        onRoundEnd?()
    }

    private func millisecondsToNextTimer() -> Int32 {
        guard let next = timers.nextTime else { return -1 }
        return clock.pollTimeout(until: next)
    }

    private func deliver(_ event: epoll_event) {
        if event.data.u64 == ChannelTable.wakeupToken { return }
        channels[token: event.data.u64]?.deliver(event.events)
    }

    private func fireTimers() {
        while let alarm = timers.popDue(at: now) {
            if alarm.deadline <= now {
                alarm.deadline = .never
                alarm.fire()
            } else if alarm.deadline != .never {
                timers.schedule(alarm)
            }
        }
    }

    private func resumeYielded() {
        guard !yielded.isEmpty else { return }
        for continuation in yielded { continuation.resume() }
        yielded.removeAll(keepingCapacity: true)
    }

    private func wake() {
        var one: UInt64 = 1
        _ = Glibc.write(wakeup, &one, 8)
    }
}

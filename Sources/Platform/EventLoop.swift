import CLinux
import Glibc
import Synchronization
package import SystemPackage

/// A thread with one epoll that is a Swift executor: tasks that prefer it run on that thread only,
/// one at a time, so the state they share needs no lock.
///
/// A task that would block (`Channel.awaitReadable`, `sleep`) suspends; the loop resumes it after
/// the kernel's event or its deadline. Jobs from other threads arrive through a locked inbox, and
/// an eventfd is written only if the loop is asleep, so a batch of resumptions by the journal's
/// thread costs one wake-up.
///
/// Tasks of a loop must not call actors without an executor of their own. The runtime would hand
/// the actor's jobs to the loops of the callers, which run them without the actor's lock, so that
/// two loops are inside it at once (https://github.com/swiftlang/swift/pull/82942). What loops
/// share is a class with a `Mutex`; `TidyTests` finds an actor without `unownedExecutor`.
///
/// `@unchecked Sendable`: everything but `inbox` and `thread` is touched by the loop's own thread
/// only (checked by `assertOnLoop`); `inbox` is a `Mutex` and `thread` is atomic. `descriptor` and
/// `wakeup` never change.
package final class EventLoop: TaskExecutor, @unchecked Sendable {
    private struct Inbox: ~Copyable {
        var jobs: [UnownedJob] = []
        /// Whether the thread is in (or about to enter) `epoll_wait` and must be woken.
        var asleep = false
        var stopping = false
    }

    private let descriptor: Int32
    private let wakeup: Int32
    private let inbox = Mutex(Inbox())

    /// The thread that runs the loop; 0 before it starts. Atomic, because every enqueueing thread
    /// compares itself with it.
    private let thread = Atomic<pthread_t>(0)
    private var localJobs: [UnownedJob] = []
    private var runningJobs: [UnownedJob] = []
    private var yielded: [UnsafeContinuation<Void, Never>] = []
    private var channels = ChannelTable()
    private var timers = TimerHeap()
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    /// Called on the loop at the end of a round: nothing more is ready, or the round has lasted
    /// `roundNanosecondsMax`. For work that is cheaper once per round than once per request.
    package var onRoundEnd: (() -> Void)?
    /// The time at which the present round ends even if more is ready; `never` between two rounds.
    private var roundDeadline = MonotonicTime.never
    var roundNanosecondsMax: UInt64 = 2_000_000

    /// The monotonic clock as of this turn of the loop: accurate to a turn, free to read.
    package private(set) var now: MonotonicTime

    /// The clock of the deadlines on this loop.
    package let clock: any Clock
    private var moves: (any Sendable & AnyObject)?

    /// The buffer that connections read into before their parsers take the bytes, so that an idle
    /// connection holds no buffer.
    package let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 64)

    /// Creates the epoll and the wake-up descriptor. Throws the kernel's error.
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
        // Edge-triggered, so the count need not be read back: each wake-up is an edge.
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

    /// Starts the loop on a new thread. The thread keeps the loop alive until `stop`.
    package func start(name: String) -> PlatformThread {
        PlatformThread(name: name) { self.run() }
    }

    /// Ends `run` after the present turn. Suspended tasks are not resumed.
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

    /// Runs jobs, waits for the kernel and resumes waiters, until `stop`.
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
        // One round only: a task that keeps creating jobs must not delay the loop's sockets.
        swap(&localJobs, &runningJobs)
        let preference = asUnownedTaskExecutor()
        for job in runningJobs {
            job.runSynchronously(on: preference)
        }
        runningJobs.removeAll(keepingCapacity: true)
    }

    /// Takes the jobs of the thread that woke the loop, so that they run in this turn, before the
    /// next look for events.
    private func takeJobs() {
        inbox.withLock { inbox in
            inbox.asleep = false
            localJobs.append(contentsOf: inbox.jobs)
            inbox.jobs.removeAll(keepingCapacity: true)
        }
    }

    /// Moves the inbox's jobs here and returns the milliseconds to sleep; nil when the loop ends.
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

    /// Asks the kernel which descriptors are ready, and waits for one unless a round is in
    /// progress.
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

    // MARK: Channels, alarms and turns, for the loop's own tasks only

    /// Returns a channel that owns a non-blocking descriptor. It enters the epoll when it is
    /// watched.
    package func open(_ descriptor: Int32) -> Channel {
        assertOnLoop()
        return Channel(descriptor: descriptor, loop: self)
    }

    /// Registers a non-blocking descriptor, edge-triggered for both directions, once for its life.
    /// The channel owns it from here on, even if this throws.
    package func register(_ descriptor: Int32) throws(Errno) -> Channel {
        try register(descriptor, interest: Self.bothDirections)
    }

    private static let bothDirections =
        EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue

    /// Registers a listening socket that other loops may listen on too: one loop is woken per
    /// connection (`EPOLLEXCLUSIVE`). Edge-triggered like the others, because a level-triggered
    /// listener that cannot accept for lack of memory would make the loop spin; so the waiter
    /// accepts until nothing is left.
    package func registerListener(_ descriptor: Int32) throws(Errno) -> Channel {
        try register(
            descriptor, interest: EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue | EPOLLET.rawValue)
    }

    private func register(_ owned: Int32, interest: UInt32) throws(Errno) -> Channel {
        let channel = open(owned)
        do throws(Errno) { try watch(channel, interest: interest) } catch {
            channel.close()
            throw error
        }
        return channel
    }

    func watch(_ channel: Channel) throws(Errno) {
        try watch(channel, interest: Self.bothDirections)
    }

    private func watch(_ channel: Channel, interest: UInt32) throws(Errno) {
        assertOnLoop()
        channels.insert(channel)
        var event = epoll_event()
        event.events = interest
        event.data.u64 = channel.token
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, channel.descriptor, &event) == 0 else {
            throw Errno(rawValue: errno)
        }
        channel.isWatched = true
    }

    func forget(_ channel: Channel) {
        assertOnLoop()
        timers.remove(channel.alarm)
        channels.remove(channel)
    }

    func schedule(_ alarm: Alarm) {
        assertOnLoop()
        timers.schedule(alarm)
    }

    /// Suspends the calling task, which must run on this loop, until `deadline`.
    package func sleep(until deadline: MonotonicTime) async {
        let alarm = Alarm()
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            alarm.fire = { continuation.resume() }
            alarm.deadline = deadline
            schedule(alarm)
        }
    }

    /// Lets all other tasks on the loop run, the kernel's events first. Unlike `Task.yield`, it
    /// does not go through the runtime's own threads and back.
    package func yield() async {
        assertOnLoop()
        await withUnsafeContinuation { yielded.append($0) }
    }

    private func assertOnLoop() {
        assert(isOnLoop, "only tasks of this loop may touch its channels")
    }
}

import CLinux
import Glibc
import SystemPackage

/// Channels, alarms and turns: for the loop's own tasks only.
extension EventLoop {
    /// A channel for a non-blocking descriptor, which it owns from here on. The epoll does not know
    /// of it before it is watched.
    package func open(_ descriptor: Int32) -> Channel {
        assertOnLoop()
        return Channel(descriptor: descriptor, loop: self)
    }

    /// Registers a non-blocking descriptor, edge-triggered for both directions, once for its life.
    /// The channel owns it from here on, also when this throws.
    package func register(_ descriptor: Int32) throws(Errno) -> Channel {
        try register(descriptor, interest: Self.bothDirections)
    }

    private static let bothDirections =
        EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue

    /// Registers a listening socket that other loops may listen on too: one loop is woken for one
    /// connection (`EPOLLEXCLUSIVE`). Edge-triggered like the rest, because a level-triggered
    /// listener that cannot accept for lack of memory would turn the loop at full speed; so the
    /// waiter accepts until nothing is left.
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

    /// Lets everybody else on the loop have a turn, the kernel's events first. Not `Task.yield`,
    /// which goes through the runtime's own threads and back.
    package func yield() async {
        assertOnLoop()
        await withUnsafeContinuation { yielded.append($0) }
    }

    private func assertOnLoop() {
        assert(isOnLoop, "only tasks of this loop may touch its channels")
    }
}

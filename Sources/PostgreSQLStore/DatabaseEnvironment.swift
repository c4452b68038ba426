import Platform

/// The store's environment: clock, threads and sleep. Tests replace it.
package struct DatabaseEnvironment: Sendable {
    /// The clock of all deadlines, those of the connections included.
    package var clock: any Clock
    /// Runs the opening of a connection on a separate thread, because it may block.
    package var start: @Sendable (_ body: @escaping @Sendable () -> Void) -> Void = {
        PlatformThread.detached(name: "ipnd-connect", $0)
    }
    /// Sleeps instead of the store's threads, at most until the deadline; nil if they wait
    /// themselves.
    package var sleep: (@Sendable (_ deadline: MonotonicTime) -> Void)?

    package init(clock: any Clock) { self.clock = clock }

    func now() -> MonotonicTime { clock.now }

    /// Sleeps for the given time.
    func pause(nanoseconds: UInt64) {
        let end = now().advanced(nanoseconds: nanoseconds)
        if let sleep { return sleep(end) }
        Monitor((), clock: clock).wait { _ in clock.now >= end ? .go(()) : .wait(until: end) }
    }
}

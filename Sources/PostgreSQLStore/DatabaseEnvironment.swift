import Platform

/// What the store asks of the process around it; tests give their own.
package struct DatabaseEnvironment: Sendable {
    /// The clock of all deadlines: that of the connections, too.
    package var clock: any Clock
    /// Runs what opens a connection: on a thread of its own, for it may block.
    package var start: @Sendable (_ body: @escaping @Sendable () -> Void) -> Void = {
        PlatformThread.detached(name: "ipnd-connect", $0)
    }
    /// Sleeps in place of the store's threads, at most until then; nil where they wait themselves.
    package var sleep: (@Sendable (_ deadline: MonotonicTime) -> Void)?

    package init(clock: any Clock) { self.clock = clock }

    func now() -> MonotonicTime { clock.now }

    /// Sleeps for so long.
    func pause(nanoseconds: UInt64) {
        let end = now().advanced(nanoseconds: nanoseconds)
        if let sleep { return sleep(end) }
        Monitor((), clock: clock).wait { _ in clock.now >= end ? .go(()) : .wait(until: end) }
    }
}

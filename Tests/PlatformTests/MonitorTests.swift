import TestSupport
import Testing

@testable import Platform

@Suite(.ownThreads) struct MonitorTests {
    @Test func `a thread waits until another changes the state`() {
        let monitor = Monitor(0)
        let thread = PlatformThread(name: "monitor") {
            for _ in 0..<1000 { monitor.withLock { $0 += 1 } }
            monitor.wakeAll()
        }
        let seen = monitor.wait { $0 == 1000 ? .go($0) : .wait(until: .never) }
        thread.join()
        #expect(seen == 1000)
    }

    @Test func `a deadline ends the waiting`() async {
        let clock = ManualClock()
        let monitor = Monitor(0, clock: clock)
        let deadline = clock.now.advanced(seconds: 10)
        let thread = PlatformThread(name: "monitor") {
            monitor.wait { looks in
                looks += 1
                return clock.now >= deadline ? .go(()) : .wait(until: deadline)
            }
        }
        #expect(await eventuallyYielding { clock.nextDeadline == deadline })
        clock.advance(seconds: 9)
        #expect(await eventuallyYielding { monitor.withLock { $0 } > 1 }, "it looks again")
        clock.advance(seconds: 1)
        thread.join()
    }

    /// The kernel's clock, whose deadlines are passed to the kernel.
    @Test func `a deadline of the system's clock ends the waiting`() {
        let clock = SystemClock()
        let monitor = Monitor((), clock: clock)
        let deadline = clock.now.advanced(nanoseconds: 1_000_000)
        monitor.wait { _ in clock.now >= deadline ? .go(()) : .wait(until: deadline) }
        #expect(clock.now >= deadline)
    }

    @Test func `one of the threads that wait is woken`() {
        let monitor = Monitor((tokens: 0, served: 0))
        let threads = (0..<4).map { _ in
            PlatformThread(name: "monitor") {
                monitor.wait { state in
                    guard state.tokens > 0 else { return .wait(until: .never) }
                    state.tokens -= 1
                    state.served += 1
                    return .go(())
                }
            }
        }
        for _ in threads {
            monitor.withLock { $0.tokens += 1 }
            monitor.wakeOne()
        }
        for thread in threads { thread.join() }
        #expect(monitor.withLock { $0.served } == 4)
    }
}

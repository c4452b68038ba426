import Testing

@testable import Platform

@Suite struct MonitorTests {
    @Test func aThreadWaitsUntilAnotherChangesTheState() {
        let monitor = Monitor(0)
        let thread = PlatformThread(name: "monitor") {
            for _ in 0..<1000 { monitor.withLock { $0 += 1 } }
            monitor.wakeAll()
        }
        let seen = monitor.wait { $0 == 1000 ? .go($0) : .wait(until: .never) }
        thread.join()
        #expect(seen == 1000)
    }

    @Test func aDeadlineEndsTheWaiting() {
        let monitor = Monitor(())
        let deadline = MonotonicTime.now().advanced(nanoseconds: 20_000_000)
        monitor.wait { _ in MonotonicTime.now() >= deadline ? .go(()) : .wait(until: deadline) }
        #expect(MonotonicTime.now() >= deadline)
    }

    @Test func oneOfTheThreadsThatWaitIsWoken() {
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

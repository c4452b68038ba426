import Platform
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLStore

/// When a batch is taken, when readers are notified, when a connection is tried again: pure values
/// over a clock that the tests move.
@Suite struct BatchPaceTests {
    private func at(_ milliseconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000 * (1000 + milliseconds))
    }

    @Test func `a batch waits for others only while another instance writes`() {
        var gathering = BatchGathering()
        #expect(gathering.count == 0)
        gathering.noteBatch(taken: 20, waiting: 12, isShared: false, nanoseconds: 1_000_000)
        #expect(gathering.count == 0)
        gathering.noteBatch(taken: 20, waiting: 12, isShared: true, nanoseconds: 1_000_000)
        #expect(gathering.count == 24, "three quarters of the expected ones")
        #expect(gathering.nanoseconds == 1_000_000, "as long as a batch takes")
        gathering.noteBatch(taken: 20, waiting: 12, isShared: true, nanoseconds: .max)
        #expect(gathering.nanoseconds == 5_000_000)
        gathering.noteBatch(taken: 1, waiting: 0, isShared: true, nanoseconds: 1_000_000)
        #expect(gathering.count <= 1, "a single sender does not wait")
        gathering.noteBatch(taken: 20, waiting: 12, isShared: false, nanoseconds: 1_000_000)
        #expect(gathering.count == 0, "the other one has stopped")
    }

    @Test func `readers are told at once after a pause and then from time to time`() {
        var throttle = NotifyThrottle()
        #expect(throttle.isDue(at: at(0)))
        #expect(throttle.deadline == .never)
        throttle.noteNotified(at: at(0))
        #expect(!throttle.isDue(at: at(9)))
        #expect(throttle.deadline == .never, "nothing is pending")
        throttle.postpone()
        #expect(throttle.deadline == at(10))
        throttle.postpone()
        #expect(throttle.deadline == at(10), "further records do not postpone it")
        #expect(throttle.isDue(at: at(10)))
        throttle.noteNotified(at: at(12))
        #expect(!throttle.isPending)
        #expect(!throttle.isDue(at: at(21)))
    }

    @Test func `failures postpone the next connection and the trust in it`() {
        var options = DatabaseOptions()
        options.reconnectMillisecondsMin = 100
        options.reconnectMillisecondsMax = 300
        var trust = DatabaseTrust(options)
        #expect(trust.nextAttempt <= at(0))
        #expect(trust.trustsConnections(at: at(0)))
        trust.noteFailure(at: at(0))
        #expect(trust.nextAttempt == at(100))
        #expect(!trust.trustsConnections(at: at(1999)))
        #expect(trust.trustsConnections(at: at(2000)))
        trust.postpone(at: at(100))
        #expect(trust.nextAttempt == at(300))
        trust.postpone(at: at(300))
        #expect(trust.nextAttempt == at(600), "the longest pause")
        trust.noteFailure(at: at(2000))
        #expect(!trust.trustsConnections(at: at(5999)), "the second in a row counts for longer")
        trust.noteCommit()
        trust.noteFailure(at: at(9000))
        #expect(trust.nextAttempt == at(9100))
        #expect(trust.trustsConnections(at: at(11_000)))
    }

    @Test(arguments: [(0, 3, 0), (1, 3, 1), (2, 3, 1), (3, 3, 0), (4, 3, 0)])
    func `the queue sleeps for more only behind some`(waiting: Int, countMin: Int, sleeps: Int) {
        let slept = Counter()
        let clock = ManualClock()
        var environment = DatabaseEnvironment(clock: clock)
        environment.sleep = { _ in slept.add() }
        let queue = DatabaseQueue(submissionsMax: 10, bytesMax: 1000, environment: environment)
        for _ in 0..<waiting { #expect(queue.add(.empty) == nil) }
        queue.gather(countMin, until: clock.now.advanced(nanoseconds: 1))
        #expect(slept.count == sleeps)
    }

    @Test func `who gathers goes on when the time is up`() async {
        let clock = ManualClock()
        let queue = DatabaseQueue(
            submissionsMax: 10, bytesMax: 1000, environment: DatabaseEnvironment(clock: clock))
        #expect(queue.add(.empty) == nil)
        let end = clock.now.advanced(seconds: 5)
        let thread = PlatformThread(name: "gathers") { queue.gather(3, until: end) }
        #expect(await eventuallyYielding { queue.isCommitterAsleep })
        clock.advance(seconds: 5)
        thread.join()
        #expect(!queue.isCommitterAsleep)
    }

    @Test func `who gathers is woken by the last one of them`() async {
        let queue = DatabaseQueue(
            submissionsMax: 10, bytesMax: 1000,
            environment: DatabaseEnvironment(clock: ManualClock()))
        #expect(queue.add(.empty) == nil)
        let thread = PlatformThread(name: "gathers") { queue.gather(3, until: .never) }
        #expect(await eventuallyYielding { queue.isCommitterAsleep })
        #expect(queue.add(.empty) == nil)
        #expect(queue.isCommitterAsleep)
        #expect(queue.add(.empty) == nil)
        thread.join()
        #expect(queue.count == 3)
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}

extension BatchTask {
    fileprivate static var empty: BatchTask {
        BatchTask(.confirmation, byteCount: 1, deadline: .never) { _ in }
    }
}

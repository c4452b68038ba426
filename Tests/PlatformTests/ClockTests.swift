import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite(.ownThreads) struct ClockTests {
    /// Rounded up: a thread that wakes slightly too early would spin until the deadline.
    @Test(
        arguments: [
            (0, 0), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2), (UInt64.max, Int32.max),
        ] as [(UInt64, Int32)])
    func `a timeout is rounded up to milliseconds`(_ nanoseconds: UInt64, _ expected: Int32) {
        #expect(SystemClock.wholeMilliseconds(nanoseconds) == expected)
    }

    @Test func `a deadline that passed is not waited for and never has no limit`() {
        let clock = SystemClock()
        #expect(clock.pollTimeout(until: clock.now) == 0)
        #expect(clock.pollTimeout(until: .never) == -1)
        #expect(clock.pollTimeout(until: clock.now.advanced(seconds: 3600)) > 0)
    }

    @Test func `a thread is blocked until the deadline`() async {
        let clock = ManualClock()
        let deadline = clock.now.advanced(seconds: 10)
        let isOver = Box(false)
        let thread = PlatformThread(name: "test-block") {
            clock.block(until: deadline)
            isOver.set(true)
        }
        #expect(await eventuallyYielding { clock.nextDeadline == deadline })
        clock.advance(milliseconds: 9_999)
        #expect(!isOver.get())
        clock.advance(milliseconds: 1)
        thread.join()
        #expect(isOver.get())
    }

    @Test func `a descriptor tells that a clock was moved`() {
        #expect(ClockMoves(SystemClock()).descriptor == -1)
        let clock = ManualClock()
        let moves = ClockMoves(clock)
        func isReadable() -> Bool {
            var entry = pollfd(fd: moves.descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) == 1
        }
        #expect(!isReadable())
        clock.advance(seconds: 1)
        #expect(isReadable())
        moves.clear()
        #expect(!isReadable())
    }

    /// The descriptor of a wait that has ended is not used for something else while a move goes on.
    @Test func `a move that is late writes into its own descriptor`() throws {
        let clock = RememberedMoves()
        var moves: ClockMoves? = ClockMoves(clock)
        let descriptor = try #require(moves?.descriptor)
        moves = nil
        let move = try #require(clock.calls.get().last)
        move()
        var count: UInt64 = 0
        #expect(read(descriptor, &count, 8) == 8 && count == 1)
    }

    @Test func `a kernel timer is due when its time has passed`() {
        var timer = KernelTimer()
        #expect(!timer.isDue && timer.pollTimeout == -1)
        timer.set(milliseconds: 0)
        #expect(timer.isDue && timer.pollTimeout == 0)
        timer.set(milliseconds: 3_600_000)
        #expect(!timer.isDue && timer.pollTimeout > 0)
        timer.set(milliseconds: nil)
        #expect(!timer.isDue && timer.pollTimeout == -1)
    }
}

/// Keeps what is called when it is moved, as a move does that has begun.
private final class RememberedMoves: Clock {
    private let clock = ManualClock()
    let calls = Box<[@Sendable () -> Void]>([])

    var now: MonotonicTime { clock.now }
    var wallMicroseconds: Int64 { clock.wallMicroseconds }
    var coarseWallSeconds: Int { clock.coarseWallSeconds }

    func sleep(until deadline: MonotonicTime) async throws {
        try await clock.sleep(until: deadline)
    }

    func kernelTime(of deadline: MonotonicTime) -> MonotonicTime {
        clock.kernelTime(of: deadline)
    }

    func onMove(_ wake: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? {
        calls.update { $0.append(wake) }
        return clock.onMove(wake)
    }
}

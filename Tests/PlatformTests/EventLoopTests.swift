import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct EventLoopTests {
    @Test func `a task runs on the loop's thread and comes back to it`() async throws {
        let stayed = try await onLoop { loop in
            let before = loop.isOnLoop
            await Task.detached {}.value
            let afterOther = loop.isOnLoop
            await loop.yield()
            return before && afterOther && loop.isOnLoop
        }
        #expect(stayed)
    }

    @Test func `jobs from many threads all run one at a time`() async throws {
        let loop = try EventLoop()
        let thread = loop.start(name: "test-loop")
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        await Task(executorPreference: loop) { counter.value += 1 }.value
                    }
                }
            }
        }
        loop.stop()
        thread.join()
        #expect(counter.value == 4000)
    }

    /// `@unchecked Sendable`: touched on the loop's thread only, and read after that has ended,
    /// which is what this test is about. A loop that ran two jobs at once would lose counts here.
    private final class Counter: @unchecked Sendable {
        var value = 0
    }

    @Test func `sleepers wake in the order of their deadlines`() async throws {
        let order = try await onLoop { loop in
            let start = loop.clock.now
            return await withTaskGroup(of: UInt64.self) { group in
                for delay in [30, 10, 20] as [UInt64] {
                    group.addTask(executorPreference: loop) {
                        let deadline = start.advanced(nanoseconds: delay * 1_000_000)
                        await loop.sleep(until: deadline)
                        return loop.clock.now >= deadline ? delay : 0
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(order == [10, 20, 30])
    }

    @Test func `a round goes on as long as something is ready`() async throws {
        let story = try await onLoop { loop in
            let (first, second) = (SocketPair(), SocketPair())
            let channels = [try loop.register(first.ours), try loop.register(second.ours)]
            defer {
                for channel in channels { channel.close() }
                for pair in [first, second] { close(pair.theirs) }
            }
            await loop.sleep(until: loop.time(inMilliseconds: 1))
            var story: [String] = []
            loop.onRoundEnd = { story.append("end") }
            for (channel, pair) in zip(channels, [first, second]) {
                _ = write(pair.theirs, "x", 1)
                _ = await channel.awaitReadable(until: .never)
                story.append("read")
            }
            await loop.sleep(until: loop.time(inMilliseconds: 1))
            return story
        }
        #expect(story.starts(with: ["read", "read", "end"]))
    }

    @Test func `a round that always finds more ends all the same`() async throws {
        let clock = ManualClock()
        try await onLoop(clock: clock) { loop in
            var hasEnded = false
            loop.onRoundEnd = { hasEnded = true }
            for _ in 0..<100 { await loop.yield() }
            // A round that had begun before may have ended, but none since.
            hasEnded = false
            for _ in 0..<100 { await loop.yield() }
            #expect(!hasEnded, "no time has passed")
            clock.advance(nanoseconds: loop.roundNanosecondsMax)
            for _ in 0..<3 { await loop.yield() }
            #expect(hasEnded)
        }
    }

    @Test func `a task that keeps yielding does not keep others from their deadlines`() async throws
    {
        let clock = ManualClock()
        try await onLoop(clock: clock) { loop in
            var isDue = false
            loop.later(milliseconds: 1) { isDue = true }
            for _ in 0..<100 { await loop.yield() }
            #expect(!isDue, "no time has passed")
            clock.advance(milliseconds: 1)
            for _ in 0..<3 { await loop.yield() }
            #expect(isDue)
        }
    }

    /// A loop that ran without a reason would run more turns than there are wake-ups.
    @Test func `an idle loop stands still`() async throws {
        let clock = ManualClock()
        let loop = try EventLoop(clock: clock)
        let thread = loop.start(name: "test-loop")
        defer {
            loop.stop()
            thread.join()
        }
        let turns = Box(0)
        await Task(executorPreference: loop) {
            loop.onRoundEnd = { turns.update { $0 += 1 } }
            loop.later(milliseconds: 3_600_000) {}
        }.value
        for _ in 0..<100 {
            await Task(executorPreference: loop) {}.value
            await pause(milliseconds: 1)
        }
        #expect(turns.get() <= 2 * 101)
    }
}

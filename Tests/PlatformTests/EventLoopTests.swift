import Glibc
import Testing

@testable import Platform

@Suite struct EventLoopTests {
    @Test func aTaskRunsOnTheLoopsThreadAndComesBackToIt() async throws {
        let stayed = try await onLoop { loop in
            let before = loop.isOnLoop
            await Task.detached {}.value
            let afterOther = loop.isOnLoop
            await loop.yield()
            return before && afterOther && loop.isOnLoop
        }
        #expect(stayed)
    }

    @Test func jobsFromManyThreadsAllRunOneAtATime() async throws {
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

    /// `@unchecked Sendable`: touched on the loop's thread only, and read when that has ended: what
    /// this test is about. A loop that ran two jobs at once would lose counts here.
    private final class Counter: @unchecked Sendable {
        var value = 0
    }

    @Test func sleepersWakeInTheOrderOfTheirDeadlines() async throws {
        let order = try await onLoop { loop in
            let start = MonotonicTime.now()
            return await withTaskGroup(of: UInt64.self) { group in
                for delay in [30, 10, 20] as [UInt64] {
                    group.addTask(executorPreference: loop) {
                        await loop.sleep(until: start.advanced(nanoseconds: delay * 1_000_000))
                        return MonotonicTime.now() >= start.advanced(nanoseconds: delay * 1_000_000)
                            ? delay : 0
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(order == [10, 20, 30])
    }

    @Test func aRoundGoesOnAsLongAsSomethingIsReady() async throws {
        let story = try await onLoop { loop in
            let (first, second) = (SocketPair(), SocketPair())
            let channels = [try loop.register(first.ours), try loop.register(second.ours)]
            defer {
                for channel in channels { channel.close() }
                for pair in [first, second] { close(pair.theirs) }
            }
            // However long somebody else has the processor: from the next round on.
            loop.roundNanosecondsMax = 60_000_000_000
            await loop.sleep(until: .inMilliseconds(1))
            var story: [String] = []
            loop.onRoundEnd = { story.append("end") }
            for (channel, pair) in zip(channels, [first, second]) {
                _ = write(pair.theirs, "x", 1)
                _ = await channel.awaitReadable(until: .inMilliseconds(10_000))
                story.append("read")
            }
            await loop.sleep(until: .inMilliseconds(1))
            return story
        }
        #expect(story.starts(with: ["read", "read", "end"]))
    }

    @Test func aRoundThatAlwaysFindsMoreEndsAllTheSame() async throws {
        let hasEnded = try await onLoop { loop in
            var hasEnded = false
            loop.onRoundEnd = { hasEnded = true }
            let deadline = MonotonicTime.inMilliseconds(10_000)
            while !hasEnded && MonotonicTime.now() < deadline { await loop.yield() }
            return hasEnded
        }
        #expect(hasEnded)
    }

    @Test func aTaskThatKeepsYieldingDoesNotKeepOthersFromTheirDeadlines() async throws {
        let turns = try await onLoop { loop in
            var isDue = false
            loop.later { isDue = true }
            var turns = 0
            while !isDue {
                turns += 1
                await loop.yield()
            }
            return turns
        }
        #expect(turns > 1)
    }

    @Test func anIdleLoopUsesNoProcessorTime() async throws {
        let spent = try await onLoop { loop in
            func threadTime() -> UInt64 {
                var reading = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &reading)
                return UInt64(reading.tv_sec) * 1_000_000_000 + UInt64(reading.tv_nsec)
            }
            let before = threadTime()
            await loop.sleep(until: .inMilliseconds(200))
            return threadTime() - before
        }
        #expect(spent < 20_000_000, "\(spent) ns of processor time in 200 ms of sleep")
    }
}

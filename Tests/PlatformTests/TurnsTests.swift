import Synchronization
import Testing

@testable import Platform

@Suite struct TurnsTests {
    /// The current and the maximum number of readers in a turn.
    private final class Present: Sendable {
        private let counts = Mutex((now: 0, most: 0))
        var most: Int { counts.withLock(\.most) }

        func enter() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func leave() { counts.withLock { $0.now -= 1 } }
    }

    @Test func `concurrent readers are limited and each gets a turn`() async {
        let turns = Turns(3)
        let present = Present()
        let total = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<3000 {
                group.addTask {
                    await turns.take {
                        present.enter()
                        await Task.yield()
                        present.leave()
                        return 1
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(total == 3000)
        #expect((1...3).contains(present.most))
    }
}

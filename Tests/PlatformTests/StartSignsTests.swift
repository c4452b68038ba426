import Synchronization
import TestSupport
import Testing

@testable import Platform

@Suite(.ownThreads) struct StartSignsTests {
    private final class Signs: Sendable {
        let count = Atomic(0)
        let looks = Atomic(0)
    }

    @Test func `a start that works gives signs until it ends`() {
        let seen = Signs()
        let signs = StartSigns(
            intervalMilliseconds: 1,
            processorTime: {
                UInt64(seen.looks.add(1, ordering: .relaxed).newValue) * 1_000_000_000
            },
            send: { seen.count.add(1, ordering: .relaxed) })
        let result = signs.during {
            while seen.count.load(ordering: .relaxed) < 3 {}
            return 7
        }
        #expect(result == 7)
        let count = seen.count.load(ordering: .relaxed)
        #expect(count == seen.looks.load(ordering: .relaxed))
    }

    /// However short it is: its thread may never run.
    @Test func `a short start gives one sign`() {
        let seen = Signs()
        let signs = StartSigns { seen.count.add(1, ordering: .relaxed) }
        signs.during {
            #expect(seen.count.load(ordering: .relaxed) == 1)
        }
        #expect(seen.count.load(ordering: .relaxed) == 1)
    }

    @Test func `a start that stands still gives no more`() {
        let seen = Signs()
        let signs = StartSigns(
            intervalMilliseconds: 1,
            processorTime: {
                seen.looks.add(1, ordering: .relaxed)
                return 5_000_000_000
            },
            send: { seen.count.add(1, ordering: .relaxed) })
        signs.during { while seen.looks.load(ordering: .relaxed) < 5 {} }
        #expect(seen.count.load(ordering: .relaxed) == 1)
    }
}

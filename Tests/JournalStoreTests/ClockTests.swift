import Payments
import Store
import Synchronization
import TestSupport
import Testing

@testable import JournalStore

/// The wall clock is a hint: it may jump, and nothing is lost or counted twice for it.
@Suite struct ClockTests {
    private static let day: Int64 = 86_400_000_000

    private func submission(_ number: Int, day: Int64) -> Submission {
        let id = "E-\(number)"
        var submission = Samples.submission(Samples.payment(id, reference: id, transaction: id))
        submission.received = Timestamp(microseconds: day * Self.day)
        return submission
    }

    @Test func `a clock that jumps back loses and forgets nothing`() async throws {
        let storage = MemoryStorage()
        let now = Mutex<Int64>(1000)
        var options = Samples.options
        options.snapshotClosingRecords = 1
        options.snapshotRecords = 10
        let environment = {
            var environment = StoreEnvironment()
            let today = now.withLock { $0 }
            environment.clock = ManualClock(wallMicroseconds: today * Self.day)
            return environment
        }
        // Back by 900 days and on again, with a restart, a snapshot and forgetting at each turn.
        var number = 0
        for today in [1000, 100, 101, 1001] as [Int64] {
            now.withLock { $0 = today }
            let store = try Samples.store(on: storage, options, environment: environment())
            for earlier in 0..<number {
                let again = await store.record(submission(earlier, day: today))
                #expect(again.outcome == .duplicate(of: UInt64(earlier + 1)))
            }
            for _ in 0..<25 {
                let receipt = await store.record(submission(number, day: today))
                number += 1
                #expect(receipt.outcome == .recorded(UInt64(number)))
            }
            // A question is answered after the batch before it has been counted.
            _ = await store.order(endpoint: "antom", reference: "E-0")
            #expect(store.statistics.eventsRemembered == number)
            await store.close()
        }
        let store = try Samples.store(on: storage, options, environment: environment())
        for earlier in 0..<number {
            let view = await store.order(endpoint: "antom", reference: "E-\(earlier)")
            #expect(view?.sequences == [UInt64(earlier + 1)])
        }
        await store.close()
    }
}

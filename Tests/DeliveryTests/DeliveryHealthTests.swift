import Payments
import Testing

@testable import Delivery

/// A destination that fails is one warning, and one line when it has recovered.
struct DeliveryHealthTests {
    private static let minute: Int64 = 60_000_000
    private static let taken = AttemptOutcome(status: 200, latencyMicroseconds: 1)
    private static let failed = AttemptOutcome(
        status: 500, latencyMicroseconds: 1, excerpt: Array("no room".utf8))

    @Test func `the first failure and the recovery are told`() {
        var health = DeliveryHealth()
        #expect(health.count(Self.taken, stillFailing: 0, now: 0) == nil)
        let first = health.count(Self.failed, stillFailing: 1, now: 5)
        #expect(first == .failing(reason: "status_500"))
        #expect(health.count(Self.failed, stillFailing: 2, now: 7) == nil)
        #expect(health.lastFailure?.at == Timestamp(microseconds: 7))
        #expect(health.lastFailure?.outcome.excerpt == "no room")
        // Another order succeeds, and the failed event waits still.
        #expect(health.count(Self.taken, stillFailing: 1, now: 8) == nil)
        #expect(health.count(Self.taken, stillFailing: 0, now: 9) == .recovered(failures: 2))
        #expect(health.count(Self.taken, stillFailing: 0, now: 9) == nil && health.failures == 0)
        let second = health.count(Self.failed, stillFailing: 1, now: 9)
        #expect(second == .failing(reason: "status_500"))
    }

    @Test func `attempts count for an hour`() {
        var hour = HourlyAttempts()
        let start = 1000 * Self.minute
        hour.add(isFailure: true, now: start)
        hour.add(isFailure: false, now: start + 1)
        hour.add(isFailure: true, now: start + 30 * Self.minute)
        #expect(hour.read(now: start + 30 * Self.minute) == (3, 2))
        #expect(hour.read(now: start + 59 * Self.minute) == (3, 2))
        #expect(hour.read(now: start + 60 * Self.minute) == (1, 1))
        // The place of the first minute is used again.
        hour.add(isFailure: false, now: start + 60 * Self.minute)
        #expect(hour.read(now: start + 60 * Self.minute) == (2, 1))
        #expect(hour.read(now: start + 200 * Self.minute) == (0, 0))
        // The clock was set back.
        #expect(hour.read(now: start) == (0, 0))
    }

    @Test func `an event fails until it is delivered, given up or tried anew`() {
        var plan = DeliveryPlan(
            DeliveryDestination(name: "shop", retrySeconds: [0], concurrency: 1),
            RestoredDelivery(cursor: 0), seed: 1)
        func fail(_ sequence: UInt64, now: Int64) {
            #expect(plan.next(now: now) == .send(sequence, attempt: 1))
            _ = plan.settle(sequence, Self.failed, now: now)
        }
        for sequence in [1, 2] as [UInt64] {
            let label = OrderLabel(endpoint: "e", reference: "\(sequence)")
            plan.take(sequence, of: [label], byteCount: 1)
        }
        fail(1, now: 0)
        #expect(plan.failedCount == 1)
        while case .send(let sequence, _) = plan.next(now: 10) {
            _ = plan.settle(sequence, sequence == 1 ? Self.failed : Self.taken, now: 10)
        }
        #expect(plan.figures.dead == 1 && plan.failedCount == 1)
        #expect(plan.retry(nil, now: 10) == 1 && plan.failedCount == 0)
        fail(1, now: 10)
        #expect(plan.failedCount == 1)
        while case .send(let sequence, _) = plan.next(now: 20) {
            _ = plan.settle(sequence, Self.failed, now: 20)
        }
        #expect(plan.resolve([1]) == 1 && plan.failedCount == 0)
    }
}

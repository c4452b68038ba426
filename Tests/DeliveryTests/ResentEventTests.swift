import Testing

@testable import Delivery

/// Events that are delivered again.
struct ResentEventTests {
    private static let second: Int64 = 1_000_000

    private static let taken = AttemptOutcome(status: 200, latencyMicroseconds: 1)
    private static let failed = AttemptOutcome(status: 500, latencyMicroseconds: 1)

    private static func plan(
        _ events: [(UInt64, String)], retrySeconds: [Double] = [5, 300],
        limits: DeliveryLimits = .init()
    ) -> DeliveryPlan {
        var plan = DeliveryPlan(
            DeliveryDestination(name: "shop", retrySeconds: retrySeconds, concurrency: 1),
            RestoredDelivery(cursor: 0), limits: limits, seed: 1)
        for (sequence, name) in events { plan.take(sequence, of: [label(name)], byteCount: 700) }
        return plan
    }

    private static func label(_ name: String) -> OrderLabel {
        OrderLabel(endpoint: "shop", reference: name)
    }

    private static func resend(
        _ sequence: UInt64, _ name: String = "A", in plan: inout DeliveryPlan
    ) -> Bool {
        plan.resend(sequence, of: [label(name)], byteCount: 700, received: 1)
    }

    @Test func `a delivered event is sent again, and kept until it is delivered`() {
        var plan = Self.plan([(1, "A"), (2, "A")])
        for sequence in [1, 2] as [UInt64] {
            #expect(plan.next(now: 0) == .send(sequence, attempt: 1))
            #expect(plan.settle(sequence, Self.taken, now: 0) == .delivered)
        }
        _ = plan.takeChanges()
        #expect(Self.resend(1, in: &plan) && !Self.resend(1, in: &plan))
        // Not one that the feed still has to bring.
        #expect(!Self.resend(3, in: &plan))
        let changes = plan.takeChanges()
        #expect(changes.cursor == 2 && changes.new == [1])
        #expect(changes.events == [DeliveryRow(sequence: 1, attempts: 0, due: 0, isDead: false)])
        #expect(plan.next(now: 0) == .send(1, attempt: 1))
        #expect(plan.settle(1, Self.taken, now: 0) == .delivered)
        #expect(plan.takeChanges().settled == [1] && plan.figures.waiting == 0)
    }

    @Test func `it goes before the later events of its order, and has all its attempts`() throws {
        var plan = Self.plan([(1, "A"), (2, "A")], retrySeconds: [5])
        #expect(plan.next(now: 0) == .send(1, attempt: 1))
        #expect(plan.settle(1, Self.taken, now: 0) == .delivered)
        #expect(plan.next(now: 0) == .send(2, attempt: 1))
        guard case .retry(let due) = plan.settle(2, Self.failed, now: 0) else {
            Issue.record("no retry")
            return
        }
        #expect(Self.resend(1, in: &plan))
        #expect(plan.next(now: 0) == .send(1, attempt: 1))
        // The later event waits although it is due.
        #expect(plan.next(now: due) == .wait(until: nil))
        guard case .retry(let again) = plan.settle(1, Self.failed, now: due) else {
            Issue.record("no retry")
            return
        }
        #expect(plan.next(now: again) == .send(1, attempt: 2))
        #expect(plan.settle(1, Self.taken, now: again) == .delivered)
        #expect(plan.next(now: again) == .send(2, attempt: 2))
    }

    @Test func `it passes a dead letter of its order, and no room takes none`() {
        var limits = DeliveryLimits()
        limits.waitingEventsMax = 2
        var plan = Self.plan([(1, "A"), (2, "A")], retrySeconds: [], limits: limits)
        #expect(plan.next(now: 0) == .send(1, attempt: 1))
        #expect(plan.settle(1, Self.taken, now: 0) == .delivered)
        #expect(plan.next(now: 0) == .send(2, attempt: 1))
        #expect(plan.settle(2, Self.failed, now: 0) == .dead)
        #expect(Self.resend(1, in: &plan))
        #expect(plan.next(now: 0) == .send(1, attempt: 1))
        plan.take(3, of: [Self.label("B")], byteCount: 700)
        #expect(plan.settle(1, Self.taken, now: 0) == .delivered)
        #expect(!Self.resend(1, in: &plan), "two events wait")
    }
}

import Payments
import Providers
import Store
import Testing

@testable import Inquiry

@Suite struct InquiryPlanTests {
    private static func plan(_ edit: (inout InquirySchedule) -> Void = { _ in }) -> InquiryPlan {
        var schedule = InquirySchedule()
        schedule.jitter = 0
        edit(&schedule)
        return InquiryPlan(schedule)
    }

    private static func order(_ reference: String) -> OpenOrder {
        OpenOrder(
            first: 1, last: 1, reference: reference, updated: Timestamp(microseconds: 0),
            expires: nil)
    }

    private static func add(
        _ references: [String], to plan: inout InquiryPlan, due: Int64 = 100, isLast: Bool = false
    ) {
        for reference in references {
            plan.add(order(reference), due: due, isLast: isLast, chance: 0)
        }
    }

    /// Asks all questions that are due; returns their references.
    private static func begun(_ plan: inout InquiryPlan, now: Int64) -> [String] {
        var begun: [String] = []
        while case .ask(let reference) = plan.next(now: now) {
            plan.begin(reference)
            begun.append(reference)
        }
        return begun
    }

    @Test func `orders are asked about by time, and not twice`() {
        var plan = Self.plan { $0.concurrency = 10 }
        for number in [3, 1, 4, 2] {
            Self.add(["R\(number)"], to: &plan, due: Int64(number) * 100)
        }
        #expect(plan.next(now: 50) == .wait(until: 100))
        #expect(Self.begun(&plan, now: 300) == ["R1", "R2", "R3"])
        // Already in flight or waiting.
        Self.add(["R1", "R4"], to: &plan, due: 100)
        #expect(plan.waiting.count == 1 && plan.inFlight.count == 3)
        #expect(plan.settle("R1", .answered, now: 310) == false)
        // Asked about since then; only a later due time counts.
        Self.add(["R1"], to: &plan, due: 310)
        #expect(plan.waiting["R1"] == nil)
        Self.add(["R1"], to: &plan, due: 311)
        #expect(plan.waiting["R1"] != nil)
    }

    @Test func `the number of questions in flight is bounded`() {
        var plan = Self.plan { $0.concurrency = 3 }
        Self.add((1...9).map { "R\($0)" }, to: &plan)
        #expect(Self.begun(&plan, now: 200).count == 3)
        #expect(plan.next(now: 10_000) == .wait(until: nil))
        _ = plan.settle("R1", .answered, now: 300)
        #expect(Self.begun(&plan, now: 300).count == 1)
        #expect(plan.inFlight.count == 3)
    }

    @Test func `the number of waiting orders is bounded`() {
        var plan = Self.plan { $0.waitingOrdersMax = 5 }
        Self.add((1...5).map { "R\($0)" }, to: &plan)
        #expect(plan.room == 0)
        plan.begin("R1")
        #expect(plan.room == 0)
        _ = plan.settle("R1", .answered, now: 200)
        #expect(plan.room == 1)
    }

    @Test func `the jitter is a part of the time, and bounded`() {
        var plan = Self.plan { $0.jitter = 0.1 }
        plan.add(Self.order("A"), due: 60_000_000, isLast: false, chance: 0.5)
        #expect(plan.waiting["A"]?.time == 63_000_000)
        plan.add(Self.order("B"), due: 86_400_000_000, isLast: false, chance: 1)
        #expect(plan.waiting["B"]?.time == 87_000_000_000)
    }

    @Test func `a provider that fails is paused and probed`() {
        var plan = Self.plan {
            $0.breakerQuestions = 3
            $0.breakerSeconds = 1
            $0.concurrency = 10
        }
        Self.add((1...9).map { "R\($0)" }, to: &plan)
        let first = Self.begun(&plan, now: 200)
        #expect(first.count == 9)
        for reference in first {
            _ = plan.settle(reference, .failed, now: 200)
        }
        #expect(plan.breaker.state == .open(until: 1_000_200))
        #expect(plan.next(now: 1_000_199) == .wait(until: 1_000_200))
        // One probe, and nothing else.
        for turn in 1...3 {
            let now = Int64(turn) * 5_000_000
            let probe = Self.begun(&plan, now: now)
            #expect(probe.count == 1)
            #expect(plan.next(now: now + 60_000_000) == .wait(until: nil))
            _ = plan.settle(probe[0], .failed, now: now)
            #expect(plan.breaker.state == .open(until: now + 1_000_000))
        }
        let probe = Self.begun(&plan, now: 40_000_000)
        _ = plan.settle(probe[0], .answered, now: 40_000_000)
        #expect(plan.breaker.isClosed && Self.begun(&plan, now: 40_000_000).count > 1)
    }

    /// A question without an outcome neither opens nor closes the breaker.
    @Test func `a probe that was not asked is followed by another`() {
        var plan = Self.plan { $0.breakerQuestions = 1 }
        Self.add(["A", "B", "C"], to: &plan)
        plan.begin("A")
        _ = plan.settle("A", .failed, now: 200)
        for (number, outcome) in [
            InquiryPlan.Outcome.notNeeded, .tooSoon(seconds: 5), .notStored,
        ].enumerated() {
            let now = 100_000_000 + Int64(number)
            guard case .ask(let reference) = plan.next(now: now) else {
                Issue.record("no probe after \(number)")
                return
            }
            plan.begin(reference)
            #expect(plan.breaker.state == .probing(ExactText(reference)))
            _ = plan.settle(reference, outcome, now: now)
            #expect(plan.breaker.state == .open(until: 0))
        }
    }

    @Test func `a failed question is repeated with growing pauses, and then left`() {
        var plan = Self.plan { $0.breakerQuestions = 1000 }
        Self.add(["A"], to: &plan, isLast: true)
        var now: Int64 = 1000
        for failure in 1...InquiryPlan.failuresMax {
            #expect(plan.next(now: now) == .ask("A"))
            plan.begin("A")
            #expect(plan.settle("A", .failed, now: now) == false)
            let pause = Int64(60 << (failure - 1)) * 1_000_000
            #expect(plan.next(now: now) == .wait(until: now + pause))
            now += pause
        }
        plan.begin("A")
        // It was the last time of the schedule, and the order is not settled.
        #expect(plan.settle("A", .failed, now: now) == true)
        #expect(plan.next(now: now + 1_000_000_000_000) == .wait(until: nil))
    }

    @Test func `the plan has the oldest due time`() {
        var plan = Self.plan()
        #expect(plan.oldestDue == nil)
        Self.add(["A"], to: &plan, due: 500)
        Self.add(["B"], to: &plan, due: 400)
        plan.begin("B")
        #expect(plan.oldestDue == 400)
        _ = plan.settle("B", .answered, now: 600)
        #expect(plan.oldestDue == 500)
    }

    /// A provider that does not know an order has answered: the schedule continues. One that
    /// refuses the credentials counts as down.
    @Test func `each verdict has an outcome for the schedule`() {
        for (verdict, outcome) in [
            (InquiryVerdict.answered, InquiryPlan.Outcome.answered), (.absent, .answered),
            (.untrusted, .answered), (.unreadable, .answered), (.retry, .failed),
            (.denied, .failed),
        ] {
            #expect(InquiryPlan.Outcome(InquiryReport(verdict, .none, "", "")) == outcome)
        }
    }
}

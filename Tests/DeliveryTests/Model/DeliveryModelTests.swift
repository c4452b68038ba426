import TestSupport
import Testing

@testable import Delivery

/// Runs the plan against a destination that fails, stalls, answers late or resets, with a crash at
/// any step. Each order's events must arrive in sequence, none missing, none after a dead letter.
struct DeliveryModelTests {
    /// Limits small enough that every bound is reached.
    private static let tight: DeliveryLimits = {
        var limits = DeliveryLimits()
        limits.windowEventsMax = 8
        limits.windowBytesMax = 2000
        limits.waitingEventsMax = 30
        limits.breakerOrdersMax = 3
        return limits
    }()

    @Test(arguments: 0..<40) func `many histories with crashes are delivered`(_ part: UInt64) {
        for seed in (part * 25)..<(part * 25 + 25) {
            var run = ModelRun(seed: seed, events: 60, orders: 8, limits: Self.tight)
            do {
                try Self.play(&run, crashEvery: 150, seed: seed)
            } catch {
                Issue.record("seed \(seed), step \(run.steps): \(error)")
            }
        }
    }

    @Test func `a crash at any step loses nothing`() {
        for seed in UInt64(0)..<6 {
            let steps = 160
            for crash in 0...steps {
                var run = ModelRun(seed: seed, events: 12, orders: 3, limits: Self.tight)
                do {
                    for step in 0...steps {
                        if step == crash { run.crash() }
                        try run.step()
                    }
                    try run.finish()
                } catch {
                    Issue.record("seed \(seed), crash at step \(crash): \(error)")
                }
            }
        }
    }

    /// The check works: it finds each of these mistakes within a bounded number of histories.
    @Test(arguments: PlantedDefect.allCases) func `every planted defect is found`(
        _ defect: PlantedDefect
    ) {
        let notices = (UInt64(0)..<100).contains { seed in
            var run = ModelRun(
                seed: seed, events: 60, orders: 8, limits: Self.tight, defect: defect)
            do {
                try Self.play(&run, crashEvery: 100, seed: seed)
                return false
            } catch {
                return true
            }
        }
        #expect(notices)
    }

    private static func play(_ run: inout ModelRun, crashEvery: Int, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed &* 77)
        for _ in 0..<1200 {
            if generator.once(in: crashEvery) { run.crash() }
            try run.step()
        }
        try run.finish()
    }
}

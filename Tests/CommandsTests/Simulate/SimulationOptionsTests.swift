import Platform
import Simulator
import TestSupport
import Testing

@testable import Commands

@Suite struct SimulationOptionsTests {
    @Test func `the seed determines the default prefix`() throws {
        let options = try SimulationOptions.parse(["--seed", "35", "--count", "2"])
        let settings = options.settings(ManualClock())
        #expect(settings.seed == 35)
        #expect(settings.prefix == "SIM-Z")
        #expect(settings.count == 2)
    }

    @Test func `options override the defaults`() throws {
        let settings = try SimulationOptions.parse([
            "--prefix", "P", "--loss", "0.5", "--repeats", "0.25", "--delay", "3", "--pause", "4",
            "--speed", "5", "--expect", "6", "--concurrency", "7", "--scenario", "refund",
        ]).settings(ManualClock())
        #expect(settings.prefix == "P")
        #expect((settings.loss, settings.repeats) == (0.5, 0.25))
        #expect((settings.delaySeconds, settings.stepSeconds) == (3, 4))
        #expect(settings.speed == 5)
        #expect(settings.expectSeconds == 6)
        #expect(settings.concurrency == 7)
        #expect(settings.scenarios.map(\.name) == ["refund"])
    }

    @Test(arguments: [
        ("abandoned", true), ("refund", true), ("out-of-order", false),
        ("duplicate-storm", false), ("bad-signature", false), ("no such", false),
    ])
    func `only scenarios of genuine events in order can be played`(name: String, isPlayable: Bool) {
        #expect((Scenario.playable(name) != nil) == isPlayable)
    }
}

import TestSupport
import Testing

@testable import Simulator

@Suite struct RetryScheduleTests {
    @Test(arguments: [
        ("antom", 7, true), ("opp", 37, true), ("citcon-upi", 5, false), ("hmac", 5, false),
    ])
    func `published schedules are used, others are marked as assumed`(
        _ system: String, _ count: Int, _ isPublished: Bool
    ) throws {
        let schedule = RetrySchedule(try Sandbox.trial(system).sender)
        #expect(schedule.pauses.count == count)
        #expect(schedule.isPublished == isPublished)
        #expect(schedule.pause(after: count) != nil)
        #expect(schedule.pause(after: count + 1) == nil)
    }

    @Test func `an accelerated clock waits less`() {
        let time = ManualClock()
        #expect(ScaledClock(time, speed: 1000).nanoseconds(.seconds(120)) == 120_000_000)
        #expect(ScaledClock(time, speed: 0.5).nanoseconds(.seconds(1)) == 2_000_000_000)
        #expect(ScaledClock(time, speed: 1e-300).nanoseconds(.seconds(1)) == .max)
    }

    @Test(arguments: [
        (Duration.zero, "0 s"), (.milliseconds(5), "5 ms"), (.seconds(59), "59 s"),
        (.seconds(120), "2 min"), (.seconds(4200), "1 h 10 min"), (.seconds(90_061), "1 d 1 h"),
    ])
    func `durations are shown in two units`(_ duration: Duration, _ text: String) {
        #expect(duration.brief == text)
    }
}

import Providers
import RawClient
import TestSupport
import Testing

@testable import Simulator

@Suite struct SimulationRunTests {
    private func run(
        _ scenario: Scenario, _ courier: FakeCourier, schedule: RetrySchedule? = nil,
        clock: ManualClock = ManualClock(skipsWaits: true), concurrency: Int = 1, copies: Int? = nil
    ) throws -> [Exchange] {
        let trial = try Sandbox.trial("antom")
        let plan = try SimulationPlan(
            scenario, of: [.sample()], by: trial, path: "/ipn/antom", copies: copies)
        let exchanges = Exchanges()
        SimulationRun(
            sender: trial.sender, host: "h", schedule: schedule,
            clock: ScaledClock(clock, speed: 1),
            concurrency: concurrency, makeCourier: { courier }
        ).run(plan) { exchanges.add($0) }
        return exchanges.all
    }

    private func scenario(_ name: String) throws -> Scenario { try #require(Scenario.named(name)) }

    @Test func `copies are identical`() throws {
        let courier = FakeCourier([.antomSuccess])
        let exchanges = try run(scenario("duplicate-storm"), courier, concurrency: 8)
        #expect(exchanges.count == 50)
        #expect(Set(courier.requests).count == 1)
        #expect(Set(exchanges.map(\.copy)) == Set(1...50))
    }

    @Test func `a stage begins after the previous one`() throws {
        let courier = FakeCourier([.antomSuccess])
        let exchanges = try run(scenario("partial-refunds"), courier, concurrency: 8)
        #expect(exchanges.map(\.delivery.event.type) == [.paid, .refunded, .refunded])
    }

    @Test func `out-of-order notifications arrive reversed`() throws {
        let exchanges = try run(scenario("out-of-order"), FakeCourier([.antomSuccess]))
        #expect(exchanges.map(\.delivery.event.type) == [.refunded, .paid, .pending])
    }

    @Test func `the schedule ends with the first accepted answer`() throws {
        let trial = try Sandbox.trial("antom")
        let clock = ManualClock(skipsWaits: true)
        let courier = FakeCourier([
            .failure(.refused("h")), .failure(.timedOut(.answer)), .answer(503), .antomSuccess,
        ])
        let exchanges = try run(
            scenario("paid"), courier, schedule: RetrySchedule(trial.sender), clock: clock)
        #expect(exchanges.map(\.attempt) == [1, 2, 3, 4])
        #expect(exchanges.map(\.isSatisfactory) == [false, false, false, true])
        #expect(exchanges.map(\.elapsed.components.seconds) == [0, 120, 720, 1320])
        #expect(clock.skippedWaits.map { $0 / 1_000_000_000 } == [120, 600, 600])
        #expect(Set(courier.requests).count == 1)
    }

    @Test func `the schedule ends after its last attempt`() throws {
        let trial = try Sandbox.trial("antom")
        let clock = ManualClock(skipsWaits: true)
        let exchanges = try run(
            scenario("paid"), FakeCourier([.answer(500)]), schedule: RetrySchedule(trial.sender),
            clock: clock)
        #expect(exchanges.count == 8)
        // 2 min, 10 min, 10 min, 1 h, 2 h, 6 h, 15 h
        let seconds = clock.skippedWaits.map { $0 / 1_000_000_000 }
        #expect(seconds == [120, 600, 600, 3600, 7200, 21_600, 54_000])
    }

    @Test(arguments: [
        ("bad-signature", 401, true), ("bad-signature", 400, true), ("bad-signature", 200, false),
        ("wrong-key", 401, true), ("wrong-key", 503, false), ("paid", 401, false),
    ])
    func `a forged notification must be refused`(_ name: String, _ status: Int, _ satisfies: Bool)
        throws
    {
        let body = #"{"result":{"resultStatus":"S"}}"#
        let exchanges = try run(scenario(name), FakeCourier([.answer(status, body)]))
        #expect(exchanges.map(\.isSatisfactory) == [satisfies])
    }

    @Test func `exit statuses follow from the exchanges`() throws {
        func status(_ answers: [Result<ReceivedResponse, ClientError>]) throws -> Int32 {
            var tally = SimulationTally()
            for exchange in try run(scenario("refund"), FakeCourier(answers)) {
                tally.add(exchange)
            }
            return tally.exitStatus
        }
        #expect(try status([.antomSuccess]) == 0)
        #expect(try status([.antomSuccess, .answer(503)]) == 1)
        #expect(try status([.failure(.refused("h"))]) == 69)
        #expect(try status([.antomSuccess, .failure(.refused("h"))]) == 1)
        #expect(SimulationTally().exitStatus == 1)
    }

    @Test func `an exchange is one line of JSON`() throws {
        let exchange = try #require(
            try run(scenario("paid"), FakeCourier([.answer(503, "no")])).first)
        let text = String(decoding: exchange.json, as: UTF8.self)
        #expect(text.hasPrefix(#"{"type":"exchange","number":1,"copy":1,"attempt":1,"#))
        #expect(text.contains(#""status":503,"answer":"no","judgement":"sends_again""#))
        #expect(!text.contains("\n"))
    }
}

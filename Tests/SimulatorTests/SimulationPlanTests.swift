import Payments
import Platform
import Providers
import Testing

@testable import Simulator

@Suite struct SimulationPlanTests {
    @Test(arguments: Sandbox.systems)
    func `the same order gives the same bytes`(_ system: String) throws {
        let trial = try Sandbox.trial(system)
        let order = SimulationOrder.sample()
        let plans = try (0..<2).map { _ in
            try SimulationPlan(.single(.paid), of: [order], by: trial, path: "/ipn/x", copies: 3)
        }
        #expect(plans[0].stages == plans[1].stages)
        #expect(plans[0].requestCount == 3)
    }

    @Test func `different orders give different notifications`() throws {
        let orders = SimulationOrder.fresh(
            count: 3, reference: "R", transaction: "T",
            money: Money(minor: 100, currency: Currency("MYR")!), microseconds: 1_000_000)
        #expect(orders.map(\.reference) == ["R-1", "R-2", "R-3"])
        let plan = try SimulationPlan(
            .single(.paid), of: orders, by: Sandbox.trial("antom"), path: "/ipn/antom")
        #expect(Set(plan.stages[0].map(\.event.transaction)) == ["T-1", "T-2", "T-3"])
        #expect(Set(plan.stages[0].map(\.outbound.body)).count == 3)
    }

    @Test func `new references differ`() {
        let money = Money(minor: 100, currency: Currency("MYR")!)
        let references = (0..<100).map { _ in
            SimulationOrder.fresh(
                count: 1, reference: nil, transaction: nil, money: money, microseconds: 0
            )[0].reference
        }
        #expect(Set(references).count == 100)
    }

    @Test func `the target sent may differ from the signed path`() throws {
        let trial = try Sandbox.trial("antom")
        let plan = try SimulationPlan(
            .single(.paid), of: [.sample()], by: trial, path: "/public/antom", target: "/inside")
        let outbound = try #require(plan.stages.first?.first).outbound
        #expect(outbound.target == "/inside")
        var received = outbound.delivery(
            received: Sandbox.time)
        #expect(trial.endpoint.provider.refusal(of: received) != nil)
        received.path = Array("/public/antom".utf8)[...]
        #expect(trial.endpoint.provider.refusal(of: received) == nil)
    }

    @Test func `an amount too small for parts is refused`() throws {
        let scenario = try #require(Scenario.named("partial-refunds"))
        #expect(throws: SimulationError.amountTooSmall) {
            try SimulationPlan(
                scenario, of: [.sample(minor: 3)], by: Sandbox.trial("antom"), path: "/ipn/antom")
        }
    }

    @Test func `an unknown endpoint is reported with the known ones`() {
        #expect(
            throws: SimulationError.unknownEndpoint(
                "antm", known: Sandbox.configuration.endpoints.map(\.name))
        ) {
            try SimulationSender(Sandbox.configuration, endpoint: "antm")
        }
    }

    @Test func `an endpoint without sandbox keys is reported with a remedy`() throws {
        var configuration = Sandbox.configuration
        configuration.folder = "/nonexistent"
        let error = #expect(throws: SimulationError.self) {
            try SimulationSender(configuration, endpoint: "antom")
        }
        #expect(error?.isConfiguration == true)
        #expect("\(String(describing: error))".contains("ipnd init"))
    }
}

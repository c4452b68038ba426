import Payments
import Platform
import ProviderFixtures
import Providers
import Testing

@testable import Simulator

/// Every scenario of every provider, through its verification and the order rules.
@Suite struct ScenarioTests {
    static let cases = ProviderFixture.all.flatMap { fixture in
        Scenario.all.map { (fixture, $0.name) }
    }

    @Test(arguments: cases)
    func `the order becomes what the scenario expects`(
        _ fixture: ProviderFixture, _ name: String
    ) throws {
        let scenario = try #require(Scenario.named(name))
        let trial = try Sandbox.trial(fixture.name)
        let isImpossible = fixture.impossibleScenarios.contains(name)
        let sample = SimulationOrder.sample()
        let plan: SimulationPlan
        do throws(SimulationError) {
            plan = try SimulationPlan(
                scenario, of: [sample], by: trial, path: trial.endpoint.publicPath)
            #expect(!isImpossible, "the provider has notifications for it")
        } catch {
            #expect(isImpossible, "\(error)")
            guard case .unsupported = error else { throw error }
            return
        }
        var ledger = Ledger()
        let now = Sandbox.time
        for delivery in plan.stages.joined() {
            for _ in 0..<delivery.copies {
                let verified = ledger.receive(
                    delivery.outbound.delivery(received: now), trial.endpoint.provider)
                #expect(verified == (delivery.authenticity == .genuine))
            }
        }
        let expected = scenario.expectation(of: sample.money)
        #expect(ledger.orders.count == (expected.status == nil ? 0 : 1))
        guard let order = ledger.orders.values.first else { return }
        #expect(order.reference == sample.reference)
        #expect(order.status == expected.status)
        // Antom's notification of a failure has no currency, and so no sum.
        #expect((order.refunded ?? expected.refunded) == expected.refunded)
        let surprises = order.flags.filter { $0 != .testMode }
        #expect(surprises.isEmpty, "\(surprises)")
    }

    /// Orders of one endpoint, by reference or transaction, each event once.
    private struct Ledger {
        var orders: [String: Order] = [:]
        private var seen: Set<String> = []
        private var references: [String: String] = [:]

        mutating func receive<System: Provider>(_ delivery: SignedRequest, _ provider: System)
            -> Bool
        {
            guard let verified = try? provider.verify(delivery) else { return false }
            let notification = provider.interpret(verified.evidence)
            guard seen.insert(notification.id).inserted else { return true }
            apply(notification)
            return true
        }

        /// Events with only a transaction, until a payment names transaction and reference.
        private mutating func apply(_ notification: Notification) {
            let transaction = notification.transaction
            let reference = notification.reference ?? transaction.flatMap { references[$0] }
            let key = reference ?? "transaction \(transaction ?? "")"
            var order = orders[key] ?? reference.map { Order(reference: $0) } ?? Order()
            order.apply(notification)
            if let reference, let transaction {
                references[transaction] = reference
                if let waiting = orders.removeValue(forKey: "transaction \(transaction)") {
                    order = order.merging(waiting)
                }
            }
            orders[key] = order
        }
    }

    @Test func `every documented scenario exists`() {
        #expect(
            Scenario.all.map(\.name) == [
                "paid", "failed", "expired", "unpaid", "authorized-captured", "failed-then-paid",
                "refund", "partial-refunds", "chargeback", "out-of-order", "duplicate-storm",
                "bad-signature", "wrong-key",
            ])
    }

    @Test func `expectations are shown in words`() throws {
        let money = Money(minor: 4200, currency: Currency("MYR")!)
        let texts = ["paid", "refund", "bad-signature"].compactMap {
            Scenario.named($0)?.expectation(of: money).description
        }
        #expect(
            texts == [
                "the order is paid", "the order is refunded, 42.00 MYR refunded",
                "every request refused, and no order",
            ])
    }
}

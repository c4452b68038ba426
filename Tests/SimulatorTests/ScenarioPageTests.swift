import Foundation
import ProviderFixtures
import Providers
import TestSupport
import Testing

@testable import Simulator

/// The table of scenarios in config/commands.md agrees with the senders.
@Suite struct ScenarioPageTests {
    /// The table has a column for each provider, and `no` with a sentence where it has none.
    @Test func `the page agrees with the senders`() throws {
        let page = try SourceTree.text("config/commands.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { line in
                line.split(separator: "|").map {
                    $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
                }
            }
        let head = try #require(rows.first { $0.first == "scenario" && $0.contains("antom") })
        #expect(Set(head.dropFirst()) == Set(Sandbox.systems))
        for scenario in Scenario.all {
            let found = rows.first { $0.count == head.count && $0[0] == scenario.name }
            let row = try #require(found, "\(scenario.name)")
            for (system, cell) in zip(head, row).dropFirst() {
                let fixture = try #require(ProviderFixture.named(system))
                let isImpossible = fixture.impossibleScenarios.contains(scenario.name)
                #expect(cell == (isImpossible ? "no" : "yes"), "\(system) \(scenario.name)")
            }
        }
        for (system, type) in [
            ("citcon-pay", EventType.authorized), ("citcon-pay", .chargedBack),
            ("citcon-pay", .expired), ("ecommpay", .chargedBack),
        ] {
            let sentence = try #require(try Sandbox.trial(system).sender.absence(of: type))
            #expect(page.replacing("\n", with: " ").contains(sentence), "\(sentence)")
        }
    }
}

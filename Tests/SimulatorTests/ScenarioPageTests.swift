import Foundation
import Providers
import TestSupport
import Testing

@testable import Simulator

/// The table of scenarios in config/commands.md agrees with the senders.
@Suite struct ScenarioPageTests {
    private static let begin = "<!-- scenarios: generated from the senders -->\n"
    private static let end = "<!-- scenarios: end -->\n"

    /// A row for each provider, and a column for each scenario.
    private static func table() throws -> String {
        let names = Scenario.all.map { "`\($0.name)`" }.joined(separator: " | ")
        var lines = [
            "| `provider:` | \(names) |",
            String(repeating: "|---", count: Scenario.all.count + 1) + "|",
        ]
        for system in Sandbox.systems {
            let trial = try Sandbox.trial(system)
            let cells = Scenario.all.map { scenario in
                let plan = try? SimulationPlan(
                    scenario, of: [SimulationOrder.sample()], by: trial,
                    path: trial.endpoint.publicPath)
                return plan == nil ? "no" : "yes"
            }
            lines.append("| `\(system)` | \(cells.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// `IPND_WRITE_TABLES=1 scripts/test ScenarioPage` writes the table anew.
    @Test func `the page agrees with the senders`() throws {
        let url = SourceTree.url("config/commands.md")
        let page = try SourceTree.text("config/commands.md")
        let start = try #require(page.range(of: Self.begin))
        let stop = try #require(page.range(of: Self.end))
        if ProcessInfo.processInfo.environment["IPND_WRITE_TABLES"] == "1" {
            try page.replacingCharacters(
                in: start.upperBound..<stop.lowerBound, with: Self.table()
            ).write(to: url, atomically: true, encoding: .utf8)
            return
        }
        #expect(try String(page[start.upperBound..<stop.lowerBound]) == Self.table())
        for (system, type) in [
            ("citcon-pay", EventType.authorized), ("citcon-pay", .chargedBack),
            ("citcon-pay", .expired), ("ecommpay", .chargedBack),
        ] {
            let sentence = try #require(try Sandbox.trial(system).sender.absence(of: type))
            #expect(page.replacing("\n", with: " ").contains(sentence), "\(sentence)")
        }
    }
}

import Providers
import Simulator
import Testing

@testable import SimulatorServer

@Suite struct SimulationSettingsTests {
    private static func draw(_ settings: SimulationSettings, count: Int = 400) -> [DrawnOrder] {
        (1...count).map {
            DrawnOrder(
                settings, from: settings.scenarios, endpoint: 1, name: "antom", number: $0)
        }
    }

    @Test func `the same seed draws the same orders, another one does not`() {
        var settings = SimulationSettings()
        settings.loss = 0.3
        settings.repeats = 0.3
        settings.delaySeconds = 100
        let first = Self.draw(settings)
        #expect(first == Self.draw(settings))
        settings.seed = 1
        #expect(first != Self.draw(settings))
        #expect(Set(first.map(\.scenario.name)).count == 10)
    }

    @Test func `losses and repetitions occur at their rates`() {
        var settings = SimulationSettings()
        settings.loss = 0.3
        settings.repeats = 0.2
        settings.delaySeconds = 100
        let transmissions = Self.draw(settings, count: 2000).flatMap(\.transmissions)
        let lost = Double(transmissions.count { $0.isLost }) / Double(transmissions.count)
        let copied = transmissions.count { $0.delays.count > 1 }
        let repeated = Double(copied) / Double(transmissions.count)
        #expect((0.26...0.34).contains(lost))
        #expect((0.16...0.24).contains(repeated))
        #expect(transmissions.allSatisfy { $0.delays.allSatisfy((0...100.0).contains) })
        settings.loss = 0
        settings.repeats = 0
        let calm = Self.draw(settings).flatMap(\.transmissions)
        #expect(calm.allSatisfy { !$0.isLost && $0.delays.count == 1 })
    }
}

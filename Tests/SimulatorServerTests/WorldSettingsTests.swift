import Providers
import Simulator
import Testing

@testable import SimulatorServer

@Suite struct WorldSettingsTests {
    private static func draw(_ settings: WorldSettings, count: Int = 400) -> [DrawnOrder] {
        (1...count).map {
            DrawnOrder(
                settings, from: settings.scenarios, endpoint: 1, name: "antom", number: $0)
        }
    }

    @Test func theSameSeedDrawsTheSameAndAnotherOneDoesNot() {
        var settings = WorldSettings()
        settings.loss = 0.3
        settings.repeats = 0.3
        settings.delaySeconds = 100
        let first = Self.draw(settings)
        #expect(first == Self.draw(settings))
        settings.seed = 1
        #expect(first != Self.draw(settings))
        #expect(Set(first.map(\.scenario.name)).count == 10)
    }

    @Test func ratesAreWhatTheySay() {
        var settings = WorldSettings()
        settings.loss = 0.3
        settings.repeats = 0.2
        settings.delaySeconds = 100
        let tellings = Self.draw(settings, count: 2000).flatMap(\.tellings)
        let lost = Double(tellings.count { $0.isLost }) / Double(tellings.count)
        let repeated = Double(tellings.count { $0.delays.count > 1 }) / Double(tellings.count)
        #expect((0.26...0.34).contains(lost))
        #expect((0.16...0.24).contains(repeated))
        #expect(tellings.allSatisfy { $0.delays.allSatisfy((0...100.0).contains) })
        settings.loss = 0
        settings.repeats = 0
        let calm = Self.draw(settings).flatMap(\.tellings)
        #expect(calm.allSatisfy { !$0.isLost && $0.delays.count == 1 })
    }
}

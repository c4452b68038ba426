import DatabaseDefects
import DatabaseSimulation
import Testing

/// The checks of the simulation notice each mistake between the store and its database.
@Suite struct PlantedDefectTests {
    @Test(arguments: DatabaseDefect.allCases)
    func `a planted defect is caught`(defect: DatabaseDefect) {
        var found: [String] = []
        for (history, order) in SimulationTests.cases where found.isEmpty {
            found =
                SimulationTests.playEverywhere(
                    History.small[history], order, stopAtFirst: true
                ) { defect.planted(in: $0) }.violations
        }
        #expect(!found.isEmpty, "nothing notices \(defect)")
        print("\(defect.rawValue): \(found.first ?? "missed")")
    }
}

import Journal
import SystemPackage
import TestSupport
import Testing

/// The journal on a disk that loses power at every operation, in every way that the simulation
/// supports.
@Suite struct CrashTests {
    /// Runs the workload once for every operation with a power cut there, and checks the result for
    /// every way of cutting.
    static func cutEverywhere(
        seed: UInt64, defects: SimulatedStorage.PlantedDefects = [], every stride: Int = 1,
        from first: Int = 1, stopAtFirst: Bool = false
    ) -> (states: Int, violations: [String]) {
        let rehearsal = SimulatedStorage(defects: defects)
        var whole = CrashWorkload(seed: seed)
        whole.run(rehearsal)
        var states = 0
        var violations: [String] = []
        for number in Swift.stride(from: first, through: rehearsal.changes, by: stride) {
            let storage = SimulatedStorage(plan: .powerCut(at: number), defects: defects)
            var workload = CrashWorkload(seed: seed)
            workload.run(storage)
            var check = CrashCheck(workload)
            let disk = storage.disk
            let choices = CutChoice.all(
                pending: disk.pendingPieces, prefixesMax: 6, randomCount: 3,
                seed: seed &* 7919 &+ UInt64(number))
            for var choice in choices {
                let situation = "seed \(seed), power cut at operation \(number), \(choice)"
                check.check(disk.afterPowerCut(&choice), defects: defects, situation)
            }
            check.check(disk.afterKill(), defects: defects, "seed \(seed), killed at \(number)")
            states += check.statesTried
            violations += check.violations
            if stopAtFirst && !violations.isEmpty { break }
        }
        return (states, violations)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `no power cut loses an acknowledged record or passes for corruption`(seed: UInt64) {
        // A third: each of the three seeds begins at another operation.
        let (states, violations) = Self.cutEverywhere(
            seed: seed, every: Effort.stride, from: Effort.isWhole ? 1 : Int(seed))
        #expect(violations.isEmpty, "\(violations.prefix(5))")
        #expect(states > Effort.share(of: 1000))
        print("crash simulation, seed \(seed): \(states) states, \(violations.count) violations")
    }

    /// A power cut during the recovery from a power cut.
    @Test func `recovery itself may lose power anywhere`() {
        var states = 0
        var violations: [String] = []
        let rehearsal = SimulatedStorage()
        var whole = CrashWorkload(seed: 5)
        whole.run(rehearsal)
        for number in stride(from: 3, through: rehearsal.changes, by: 5 * Effort.stride) {
            let storage = SimulatedStorage(plan: .powerCut(at: number))
            var workload = CrashWorkload(seed: 5)
            workload.run(storage)
            var check = CrashCheck(workload)
            var first = CutChoice(.random, .random, seed: UInt64(number))
            let disk = storage.disk.afterPowerCut(&first)
            let recovery = SimulatedStorage(disk)
            var records: [[UInt8]] = []
            _ = try? CrashWorkload.open(recovery, &records)
            for second in 1...max(1, recovery.changes) {
                let broken = SimulatedStorage(disk, plan: .powerCut(at: second))
                _ = try? CrashWorkload.open(broken, &records)
                for var choice in CutChoice.all(
                    pending: broken.disk.pendingPieces, prefixesMax: 3, randomCount: 2,
                    seed: UInt64(number * 100 + second))
                {
                    check.check(
                        broken.disk.afterPowerCut(&choice),
                        "power cut at \(number), again at \(second), \(choice)")
                }
            }
            states += check.statesTried
            violations += check.violations
        }
        #expect(violations.isEmpty, "\(violations.prefix(5))")
        print("second crash in recovery: \(states) states, \(violations.count) violations")
    }

    /// Records that a reader shows as durable on the running system survive every power cut.
    @Test func `what a reader calls durable survives`() throws {
        let rehearsal = SimulatedStorage()
        var whole = CrashWorkload(seed: 4)
        whole.run(rehearsal)
        for number in stride(from: 12, through: rehearsal.changes, by: 3) {
            let storage = SimulatedStorage(plan: .powerCut(at: number))
            var workload = CrashWorkload(seed: 4)
            workload.run(storage)
            let disk = storage.disk
            var shown: [[UInt8]] = []
            guard
                var reader = try? JournalReader(
                    directory: CrashWorkload.directory,
                    storage: SimulatedStorage(disk.afterKill()), extent: .durable,
                    options: CrashWorkload.options)
            else { continue }
            let start = workload.acknowledged.count
            _ = try? reader.read { sequence, record in
                #expect(sequence <= UInt64(start))
                shown.append([UInt8](record))
            }
            #expect(workload.acknowledged.contains(shown), "operation \(number)")
        }
    }

    @Test(arguments: [
        SimulatedStorage.PlantedDefects.neverSyncs, .skipsDirectorySync, .skipsFileSync,
        .skipsCutting,
    ])
    func `a planted defect is caught`(defect: SimulatedStorage.PlantedDefects) {
        let (_, violations) = Self.cutEverywhere(seed: 1, defects: defect, stopAtFirst: true)
        #expect(!violations.isEmpty)
    }
}

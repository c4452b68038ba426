import Journal

/// Checks a journal after a crash.
struct CrashCheck {
    /// The acknowledged records, in the order of their sequences.
    var acknowledged: [[UInt8]]
    /// The records that were being written: they may all be there, or none.
    var inFlight: [[UInt8]]

    /// Small frames first, then enough to begin the next segment.
    private static let more: [[[UInt8]]] =
        (0..<3).map { [[UInt8]("after the crash \($0)".utf8)] }
        + (0..<3).map { round in
            (0..<2).map { [UInt8](repeating: UInt8(10 * round + $0 + 1), count: 2990) }
        }

    private(set) var statesTried = 0
    private(set) var violations: [String] = []

    init(acknowledged: [[UInt8]], inFlight: [[UInt8]]) {
        self.acknowledged = acknowledged
        self.inFlight = inFlight
    }

    init(_ workload: CrashWorkload) {
        self.init(acknowledged: workload.acknowledged, inFlight: workload.inFlight)
    }

    /// Opens the journal on the disk, checks it, writes to it, cuts the power again, and checks
    /// again.
    mutating func check(
        _ disk: SimulatedDisk, defects: SimulatedStorage.PlantedDefects = [], _ situation: String
    ) {
        statesTried += 1
        let storage = SimulatedStorage(disk, defects: defects)
        var records: [[UInt8]] = []
        do {
            let writer = try CrashWorkload.open(storage, &records)
            compare(records, situation)
            // Replayed records are relied on: they must survive every later crash.
            var cut = CutChoice(.none, .strict)
            again(storage.disk.afterPowerCut(&cut), holds: records, situation + ", cut after open")
            for batch in Self.more {
                for record in batch { try writer.append { $0.append(contentsOf: record) } }
                try writer.commit()
            }
            let more = Self.more.flatMap(\.self)
            again(
                storage.disk.afterPowerCut(&cut), holds: records + more,
                situation + ", cut after writing on")
        } catch {
            violations.append("\(situation): \(error)")
        }
    }

    private mutating func compare(_ records: [[UInt8]], _ situation: String) {
        let count = acknowledged.count
        if !Bytes.areEqual(records.prefix(count), acknowledged[...]) {
            violations.append(
                "\(situation): \(acknowledged.count) acknowledged, \(records.count) recovered, "
                    + "not the same")
            return
        }
        let rest = records.dropFirst(count)
        if !rest.isEmpty && !Bytes.areEqual(rest, inFlight[...]) {
            violations.append("\(situation): \(rest.count) records that were not in flight")
        }
    }

    private mutating func again(
        _ disk: SimulatedDisk, holds expected: [[UInt8]], _ situation: String
    ) {
        statesTried += 1
        var records: [[UInt8]] = []
        do {
            _ = try CrashWorkload.open(SimulatedStorage(disk), &records)
            if !Bytes.areEqual(records[...], expected[...]) {
                violations.append(
                    "\(situation): \(expected.count) expected, \(records.count) recovered")
            }
        } catch {
            violations.append("\(situation): \(error)")
        }
    }
}

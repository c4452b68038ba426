import Console
import Journal
import ServerConfiguration

/// Warnings about destinations to which records from before would be delivered.
enum EarlierRecords {
    /// A warning for each destination with `from`: how many records go there unless it has begun
    /// already. A running server locks the positions, so they are not read here. Empty with a
    /// database, and where the journal cannot be read.
    static func findings(_ configuration: Configuration) -> [Finding] {
        guard let journal = configuration.journal,
            configuration.destinations.contains(where: { $0.start != .now }),
            let newest = try? JournalStatistics.lastSequence(
                directory: journal.directory, expected: 0)
        else { return [] }
        return configuration.destinations.enumerated().compactMap { index, destination in
            let first: UInt64
            switch destination.start {
            case .now: return nil
            case .beginning: first = 1
            case .sequence(let sequence): first = sequence
            }
            guard first <= newest else { return nil }
            let count = counted(Int(clamping: newest - first + 1), "record")
            return Finding(
                .warning, file: configuration.file, key: "destinations[\(index)].from",
                problem: "if \(destination.name) is new, \(count) from before may be delivered "
                    + "to it",
                remedy: "remove `from` to begin with the next record; of a destination that has "
                    + "begun it changes nothing")
        }
    }
}

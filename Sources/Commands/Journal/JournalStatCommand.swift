import ArgumentParser
import JSON
import Journal
import Platform
import Simulator

/// `ipnd journal stat DIR`
struct JournalStatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat", abstract: "Show a journal's size, range of records and chain head.")

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        do throws(JournalError) {
            let statistics = try JournalStatistics.read(directory: directory)
            let terminal = Terminal(now: SystemClock().coarseWallSeconds)
            StandardOutput.print(json ? Self.json(statistics) : Self.text(statistics, terminal))
        } catch {
            throw JournalFailure.exit(error)
        }
    }

    private static func text(_ statistics: JournalStatistics, _ terminal: Terminal) -> String {
        let span = statistics.span.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "none"
        let bytes = sized(statistics.bytes, terminal)
        let last = sized(statistics.bytesInLastSegment, terminal)
        return """
            store        \(statistics.store.map { "\($0)" } ?? "none")
            segments     \(statistics.segments), and \(statistics.segmentsArchived) archived
            records      \(statistics.records)
            sequences    \(span)
            bytes        \(bytes) (\(last) used of the last segment)
            snapshots    \(statistics.snapshots.map(String.init).joined(separator: ", "))
            chain head   \(statistics.chainHead)
            space left   \(sized(statistics.bytesAvailable, terminal, "bytes"))
            """
    }

    /// In units where a person reads it.
    private static func sized(_ bytes: Int, _ terminal: Terminal, _ unit: String = "") -> String {
        if terminal.width != nil { return StatusPage.size(Double(bytes)) }
        return unit.isEmpty ? "\(bytes)" : "\(bytes) \(unit)"
    }

    private static func json(_ statistics: JournalStatistics) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("store")
        if let store = statistics.store { writer.string("\(store)") } else { writer.null() }
        let numbers: [(StaticString, UInt64)] = [
            ("segments", UInt64(statistics.segments)),
            ("segmentsArchived", UInt64(statistics.segmentsArchived)),
            ("records", statistics.records),
            ("first", statistics.span?.lowerBound ?? 0),
            ("last", statistics.span?.upperBound ?? 0),
            ("bytes", UInt64(statistics.bytes)),
            ("bytesInLastSegment", UInt64(statistics.bytesInLastSegment)),
            ("bytesAvailable", UInt64(statistics.bytesAvailable)),
        ]
        for (name, value) in numbers {
            writer.key(name)
            writer.integer(value)
        }
        writer.key("snapshots")
        writer.beginArray()
        for snapshot in statistics.snapshots { writer.integer(snapshot) }
        writer.endArray()
        writer.key("chainHead")
        writer.string("\(statistics.chainHead)")
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

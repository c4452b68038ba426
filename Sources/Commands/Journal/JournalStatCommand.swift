import ArgumentParser
import Console
import Journal
import Platform

/// `ipnd journal stat DIR`
struct JournalStatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat", abstract: "Show a journal's size, range of records and chain head.",
        discussion: "Example: ipnd journal stat /var/lib/ipnd/journal")

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        do throws(JournalError) {
            let statistics = try JournalStatistics.read(directory: directory)
            let terminal = Terminal(now: SystemClock().coarseWallSeconds)
            let report = Self.report(statistics, terminal)
            StandardOutput.print(json ? report.jsonText : report.text())
        } catch {
            throw JournalFailure.exit(error)
        }
    }

    private static func report(_ statistics: JournalStatistics, _ terminal: Terminal) -> NamedValues
    {
        let store = statistics.store.map { "\($0)" }
        let span = statistics.span
        var report = NamedValues()
        report.line("store", store ?? "none")
        report.member("store", store)
        report.line(
            "segments", "\(statistics.segments), and \(statistics.segmentsArchived) archived")
        report.member("segments", statistics.segments)
        report.member("segmentsArchived", statistics.segmentsArchived)
        report.line("sealed", statistics.sealedFrom.map { "from record \($0)" } ?? "no")
        report.member("sealedFrom", statistics.sealedFrom ?? 0)
        report.pair("records", statistics.records)
        report.line("sequences", span.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "none")
        report.member("first", span?.lowerBound ?? 0)
        report.member("last", span?.upperBound ?? 0)
        let last = size(statistics.bytesInLastSegment, terminal)
        report.line(
            "bytes", "\(size(statistics.bytes, terminal)) (\(last) used of the last segment)")
        report.member("bytes", statistics.bytes)
        report.member("bytesInLastSegment", statistics.bytesInLastSegment)
        report.member("bytesAvailable", statistics.bytesAvailable)
        report.line("snapshots", statistics.snapshots.map(String.init).joined(separator: ", "))
        report.member("snapshots", .integers(statistics.snapshots))
        report.line("chain head", "\(statistics.chainHead)")
        report.member("chainHead", "\(statistics.chainHead)")
        report.line("space left", size(statistics.bytesAvailable, terminal, "bytes"))
        return report
    }

    /// The bytes, in units on a terminal.
    private static func size(_ bytes: Int, _ terminal: Terminal, _ unit: String = "") -> String {
        if terminal.width != nil { return StatusPage.size(Double(bytes)) }
        return unit.isEmpty ? "\(bytes)" : "\(bytes) \(unit)"
    }
}

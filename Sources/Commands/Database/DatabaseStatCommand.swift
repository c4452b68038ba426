import ArgumentParser
import Console
import PostgreSQLStore

import struct Payments.Timestamp

/// `ipnd database stat`
struct DatabaseStatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat", abstract: "Show the tables' size, range of records and chain head.",
        discussion: "Example: ipnd database stat --config /etc/ipnd/ipnd.yaml")

    @OptionGroup var file: ConfigurationOption
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        let (connection, database) = try DatabaseConnection.open(file)
        do throws(DatabaseFailure) {
            let statistics = try DatabaseStatistics.read(
                connection, schema: database.session.schema)
            let report = Self.report(statistics)
            StandardOutput.print(json ? report.jsonText : report.text())
        } catch {
            throw DatabaseConnection.exit(error)
        }
    }

    private static func report(_ statistics: DatabaseStatistics) -> NamedValues {
        let first = statistics.first
        let committed = statistics.committed.map { Timestamp(microseconds: $0).rfc3339 }
        var report = NamedValues()
        report.line("store", statistics.store)
        report.member("store", statistics.store)
        report.pair("version", statistics.version)
        report.line("sequences", first == 0 ? "none" : "\(first) to \(statistics.sequence)")
        report.member("first", first)
        report.member("last", statistics.sequence)
        report.pair("partitions", statistics.partitions)
        report.pair("orders", statistics.orders)
        report.pair("identities", statistics.identities)
        report.pair("endpoints", statistics.endpoints)
        report.pair("batches", statistics.batches)
        report.pair("bytes", statistics.bytes)
        report.line("committed", committed ?? "never")
        report.member("committed", committed)
        report.line("chain head", statistics.chainHead)
        report.member("chainHead", statistics.chainHead)
        return report
    }
}

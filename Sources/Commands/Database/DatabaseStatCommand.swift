import ArgumentParser
import JSON
import PostgreSQLStore

import struct Payments.Timestamp

/// `ipnd database stat`
struct DatabaseStatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat", abstract: "Show the tables' size, range of records and chain head.")

    @OptionGroup var file: ConfigurationOption
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        let (connection, database) = try DatabaseSession.open(file)
        do throws(DatabaseFailure) {
            let statistics = try DatabaseStatistics.read(
                connection, schema: database.session.schema)
            StandardOutput.print(json ? Self.json(statistics) : Self.text(statistics))
        } catch {
            throw DatabaseSession.exit(error)
        }
    }

    private static func text(_ statistics: DatabaseStatistics) -> String {
        let span = statistics.first == 0 ? "none" : "\(statistics.first) to \(statistics.sequence)"
        return """
            store        \(statistics.store)
            version      \(statistics.version)
            sequences    \(span)
            partitions   \(statistics.partitions)
            orders       \(statistics.orders)
            identities   \(statistics.identities)
            endpoints    \(statistics.endpoints)
            batches      \(statistics.batches)
            bytes        \(statistics.bytes)
            committed    \(committed(statistics) ?? "never")
            chain head   \(statistics.chainHead)
            """
    }

    private static func committed(_ statistics: DatabaseStatistics) -> String? {
        statistics.committed.map { Timestamp(microseconds: $0).rfc3339 }
    }

    private static func json(_ statistics: DatabaseStatistics) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("store")
        writer.string(statistics.store)
        let numbers: [(StaticString, UInt64)] = [
            ("version", UInt64(statistics.version)), ("first", statistics.first),
            ("last", statistics.sequence), ("partitions", UInt64(statistics.partitions)),
            ("orders", UInt64(statistics.orders)), ("identities", UInt64(statistics.identities)),
            ("endpoints", UInt64(statistics.endpoints)), ("batches", UInt64(statistics.batches)),
            ("bytes", UInt64(statistics.bytes)),
        ]
        for (name, value) in numbers {
            writer.key(name)
            writer.integer(value)
        }
        writer.key("committed")
        if let time = committed(statistics) { writer.string(time) } else { writer.null() }
        writer.key("chainHead")
        writer.string(statistics.chainHead)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

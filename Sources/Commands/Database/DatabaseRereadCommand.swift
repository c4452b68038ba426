import ArgumentParser
import Console
import Glibc
import Journal
import JournalStore
import Platform
import PostgreSQL
import PostgreSQLStore
import Records
import ServerConfiguration

import struct Payments.Timestamp

/// `ipnd database reread`
struct DatabaseRereadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reread",
        abstract: "List records that the current rules interpret differently.",
        discussion: """
            Interprets each notification again from the bytes in its record, as `ipnd journal \
            reread` does, and changes nothing.

            --apply appends a correction for each one that is interpreted differently. Sums cannot \
            be undone, so all orders are rebuilt: the record is copied to --copy, an empty \
            directory, corrected there, and the tables are refilled from it. Stop the servers \
            first; running ones answer 503 meanwhile. Every record keeps its bytes and its \
            sequence. If it is interrupted while the tables are filled, `ipnd database import DIR` \
            with that directory continues. Run it as the owner of the tables, and keep the \
            directory until it prints complete.

            Exit status 0: every record could be reinterpreted. 1: some could not, because their \
            endpoint or key is no longer configured. 72: the directory cannot be used. 78: the \
            database cannot be used. 69: it is unreachable; try again.

            Example: ipnd database reread --config /etc/ipnd/ipnd.yaml
            """)

    @OptionGroup var file: ConfigurationOption
    @Flag(help: "Append a correction for each record that is interpreted differently.") var apply =
        false
    @Option(
        help: "Where --apply copies the record to: an empty directory.", completion: .directory)
    var copy: String?

    func validate() throws {
        guard apply == (copy != nil) else {
            throw ValidationError("--apply and --copy go together")
        }
    }

    func run() throws {
        let configuration = try file.load()
        let (connection, database) = try DatabaseConnection.open(file)
        let schema = database.session.schema
        var rereading = Rereading(
            configuration, at: Timestamp(microseconds: SystemClock().wallMicroseconds))
        do {
            let reader = try PortionReader(connection, schema: schema)
            if let copy {
                let export = JournalExport(reader, to: copy, segmentMiB: 64)
                let last = try export.run { _, _ in }.last
                let records = RereadJournal(
                    directory: copy, masterKeys: configuration.personal.masterKeys)
                try rereading.run(records) { StandardOutput.print($0) }
                report(rereading)
                if !rereading.corrections.isEmpty {
                    try correct(
                        rereading.corrections, in: copy, through: last, configuration, connection,
                        schema)
                }
            } else {
                let opener = try DatabaseKeys.opener(
                    connection, configuration.personal.masterKeys, schema: schema)
                try rereading.run(RereadTables(reader, opener)) { StandardOutput.print($0) }
                report(rereading)
            }
        } catch let failure as DatabaseFailure {
            throw DatabaseConnection.exit(failure)
        } catch let code as ExitCode {
            throw code
        } catch {
            throw JournalFailure.exit(error)
        }
        if rereading.unread > 0 { throw ExitCode(EXIT_FAILURE) }
    }

    private func report(_ rereading: Rereading) {
        let count = rereading.corrections.count
        StandardOutput.print(
            "\(counted(rereading.records, "record")), \(count) interpreted differently, "
                + "\(rereading.unread) could not be reinterpreted")
        if count > 0, !apply {
            StandardOutput.print("use --apply --copy DIR to append a correction for each")
        }
    }

    /// Corrects the copy, and fills the tables from it.
    private func correct(
        _ corrections: [Correction], in copy: String, through last: UInt64,
        _ configuration: Configuration, _ connection: PostgresConnection, _ schema: String
    ) throws {
        let options = JournalStoreOptions(configuration)
        let appended = try Correction.append(corrections, to: copy, options: options)
        StandardOutput.print("\(counted(appended, "correction")) appended to \(copy)")
        let importer = DatabaseImporter(
            connection, schema: schema, factsMax: configuration.queue.orderFactsMax)
        try importer.empty(through: last, corrections: last + UInt64(appended))
        let progress = ProgressBar("import")
        var move = try JournalImport(
            copy, into: connection, schema: schema, factsMax: configuration.queue.orderFactsMax,
            masters: configuration.personal.masterKeys)
        let outcome = try move.run { progress.show($0, of: $1) }
        progress.finish()
        StandardOutput.print("sequences    up to \(outcome.last)\ncomplete")
    }
}

/// The records of the tables, from one snapshot.
private struct RereadTables: RereadRecords {
    private let exporter: DatabaseExporter
    private let extent: DatabaseExporter.Extent
    private let opener: RecordOpener?

    init(_ reader: PortionReader, _ opener: RecordOpener?) throws(DatabaseFailure) {
        self.opener = opener
        exporter = DatabaseExporter(reader)
        extent = try exporter.extent()
    }

    func forEach(_ visit: (UnsafeRawBufferPointer) throws -> Void) throws {
        var opener = opener
        try exporter.forEachRecord(after: extent.first - 1, through: extent.head) { record in
            let record = try opener?.open(record) ?? record
            try record.withUnsafeBytes { try visit($0) }
        }
    }
}

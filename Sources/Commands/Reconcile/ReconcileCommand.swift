import ArgumentParser
import Bytes
import Console
import Glibc
import Platform
import Reconciliation
import ServerConfiguration
import Store

import struct Payments.Timestamp

/// `ipnd reconcile --endpoint NAME`
struct ReconcileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Compare the record with the provider or with a file, and print differences.",
        discussion: """
            Without --file: asks the provider about every order of the period, one at a time, \
            through the running server that --config describes; the endpoint needs an `inquiry`. \
            The answers are recorded as by `ipnd inquire`, and differences are printed. --resume \
            FILE keeps the progress in a file: the same command continues after an interruption.

            With --file: compares a provider's settlement or the shop's own orders with the \
            record, without inquiries. Rows of one order are added up. Needs a running server, or \
            --journal DIR.

            Differences: \(Difference.Kind.allCases.map(\.rawValue).joined(separator: ", ")). \
            Exit status 0: none. 1: some. 65: the file has lines that cannot be read; they are \
            listed on standard error, and the others are compared. 66: there is no such file. \
            69: no server, or the provider does not answer. 78: invalid configuration.

            Example: ipnd reconcile --endpoint \(ExampleName.endpoint) --file settlement.csv
            """)

    @Option(help: "The endpoint whose orders are compared.", completion: .endpoints)
    var endpoint: String
    @Option(
        help: "Orders first recorded then or later: 2026-11-01 (UTC) or 2026-11-01T00:00:00Z.",
        transform: Self.time)
    var from: Timestamp?
    @Option(
        help: "Orders first recorded before this time (default: now).", transform: Self.time)
    var to: Timestamp?
    @Option(
        help: "Keep the progress in this file, and continue from it.", completion: .file())
    var resume: String?
    @OptionGroup var reading: ReadingOptions
    @Flag(help: "Print CSV.") var csv = false
    @OptionGroup(title: "Comparing a file") var statement: StatementOptions

    static func time(_ text: String) throws -> Timestamp {
        guard let time = Timestamp(iso8601: text) ?? Timestamp(iso8601: "\(text)T00:00:00Z") else {
            throw ValidationError(
                "“\(text)” is not a time; write 2026-11-01 or 2026-11-01T00:00:00Z")
        }
        return time
    }

    func validate() throws {
        if csv, reading.json { throw ValidationError("give either --csv or --json") }
        if let from, let to, from >= to { throw ValidationError("--from must be before --to") }
        if statement.file == nil {
            if from == nil { throw ValidationError("give --from, or --file") }
            if reading.journal != nil {
                throw ValidationError("only a running server asks: --journal needs --file")
            }
        } else if resume != nil {
            throw ValidationError("--resume is for asking; a file is compared at once")
        }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let form: DifferenceReport.Form = reading.json ? .json : csv ? .csv : .table
        do {
            if let file = statement.file {
                try await compare(file, form)
            } else {
                try await sweep(form)
            }
        } catch let code as ExitCode {
            throw code
        } catch {
            throw JournalFailure.exit(error)
        }
    }

    private func sweep(_ form: DifferenceReport.Form) async throws {
        let configuration = try reading.file.load()
        let known = configuration.endpoints.map(\.name)
        guard let found = configuration.endpoint(named: endpoint) else {
            let complaint = KnownNames.complaint("endpoint", endpoint, among: known)
            throw Self.failure("--endpoint: \(complaint)", EX_USAGE)
        }
        guard found.inquiry != nil else {
            throw Self.failure(
                "\(configuration.file): the endpoint \(endpoint) has no `inquiry`; "
                    + "config/providers.md says what it needs", EX_CONFIG)
        }
        let admin = try AdminConnection(acting: reading)
        admin.keepsTrying = true
        let clock = SystemClock()
        let end = to ?? Timestamp(microseconds: clock.wallMicroseconds)
        let file = try SweepFile(
            resume, SweepProgress(endpoint: endpoint, from: from ?? end, to: end),
            takesEnd: to == nil)
        let outcome = try await OrderSweep(admin, file, clock: clock).run()
        DifferenceReport(form, on: reading.display.terminal).show(outcome)
        if let cause = outcome.interruption {
            throw Self.failure(
                "\(cause); \(counted(outcome.orders - outcome.done, "order")) not asked about"
                    + (resume == nil ? "" : "; run it again to continue"), EX_UNAVAILABLE)
        }
        file.remove()
        if !outcome.differences.isEmpty { throw ExitCode(EXIT_FAILURE) }
    }

    private func compare(_ path: String, _ form: DifferenceReport.Form) async throws {
        var query = OrderQuery()
        (query.endpoint, query.from, query.to) = (endpoint, from, to)
        let read = try StatementFile.read(
            path, try statement.layout, separator: statement.separatorByte ?? 0x2C)
        let clock = SystemClock()
        let source: any OrderSource =
            if let directory = reading.journal {
                try JournalOrders(directory: directory, follows: false, clock: clock)
            } else {
                ServerOrders(try AdminConnection(reading), clock: clock)
            }
        let outcome = try await StatementComparison(read, statement.comparison, source, query)
            .run()
        if outcome.ledgerOrders == 0, reading.journal == nil,
            let complaint = KnownNames.complaint(
                ofEndpoint: endpoint, inFile: reading.file.config)
        {
            throw Self.failure("--endpoint: \(complaint)", EX_USAGE)
        }
        DifferenceReport(form, on: reading.display.terminal).show(outcome.comparison, of: read)
        for bad in read.badLines { StandardError.print("\(path):\(bad.line): \(bad.problem)") }
        if !read.badLines.isEmpty {
            throw Self.failure(
                "\(counted(read.badLines.count, "line")) of \(path) cannot be read", EX_DATAERR)
        }
        if !outcome.comparison.differences.isEmpty { throw ExitCode(EXIT_FAILURE) }
    }

    static func failure(_ text: String, _ status: Int32) -> ExitCode {
        StandardError.print("ipnd reconcile: \(text)")
        return ExitCode(status)
    }
}

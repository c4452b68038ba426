import ArgumentParser
import Bytes
import Console
import Glibc
import PostgreSQLStore

/// `ipnd database verify`
struct DatabaseVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every sequence number, every link of the hash chain and every signature.",
        discussion: """
            Reads all records, holds no lock and changes nothing, so servers may run. Each \
            record's signature is verified from the bytes in the record, as of the time it was \
            received. --anchor checks that the chain contains the head in that file (from `ipnd \
            database stat` or an earlier verify); a rewritten record does not.

            Exit status 0: intact. 72: damaged, or a signature is wrong. 1: the record is intact, \
            but some records verify only with keys that were removed from the configuration. 78, \
            69: the database cannot be used.

            Example: ipnd database verify --config /etc/ipnd/ipnd.yaml
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(help: "A file with a chain head saved earlier.", completion: .file()) var anchor:
        String?

    func run() throws {
        let value = try anchor.map(AnchorFile.read)
        let configuration = try file.load()
        let signatures = SignatureCheck(configuration)
        let (connection, database) = try DatabaseConnection.open(file)
        let progress = ProgressBar("verify")
        do {
            signatures.opener = try DatabaseKeys.opener(
                connection, configuration.personal.masterKeys, schema: database.session.schema)
            let reader = try PortionReader(connection, schema: database.session.schema)
            var verifier = DatabaseVerifier(reader, anchor: value.flatMap { Hex.decode("\($0)") })
            let verification = try verifier.run(progress: { progress.show($0, of: $1) }) {
                try signatures.check($0, $1)
            }
            progress.finish()
            try report(verification, signatures)
        } catch let failure as DatabaseFailure {
            progress.finish()
            throw DatabaseConnection.exit(failure)
        } catch let code as ExitCode {
            progress.finish()
            throw code
        } catch {
            progress.finish()
            throw JournalFailure.exit(error)
        }
    }

    private func report(
        _ verification: DatabaseVerification, _ signatures: SignatureCheck
    ) throws {
        let span = verification.span.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "none"
        var report = NamedValues()
        report.line("partitions", "\(verification.partitions)")
        report.line("batches", "\(verification.batches)")
        report.line("records", "\(verification.records)")
        report.line("sequences", span)
        report.line("chain head", Hex.encode(verification.chainHead))
        if verification.droppedThrough > 0 {
            report.line(
                "dropped", "up to sequence \(verification.droppedThrough), by retention")
        }
        StandardOutput.print(report.text())
        try VerificationVerdict(
            chain: "record", damage: verification.damage.map { "\($0)" },
            hasAnchor: anchor != nil, anchorSequence: verification.anchorSequence
        ).report(signatures)
    }
}

import ArgumentParser
import Console
import Glibc
import Journal
import JournalStore
import ServerConfiguration

/// `ipnd journal verify DIR`
struct JournalVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every frame, every link of the hash chain and every sequence number.",
        discussion: """
            --config also verifies each record's signature from the bytes in the record, as of the \
            time it was received. --anchor checks that the chain contains the head in that file \
            (from `ipnd journal stat` or an earlier verify); a rewritten journal does not.

            Exit status 0: intact. 72: damaged, or a signature is wrong. 66: no journal. 1: the \
            frames are intact, but some records verify only with keys that were removed from the \
            configuration.

            Example: ipnd journal verify /var/lib/ipnd/journal
            """)

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @Option(help: "Also verify the providers' signatures, with the keys of this configuration.")
    var config: String?
    @Option(help: "A file with a chain head saved earlier.", completion: .file()) var anchor:
        String?

    func run() throws {
        let configuration = try config.map {
            var option = ConfigurationOption()
            option.config = $0
            return try option.load()
        }
        let signatures = configuration.map { SignatureCheck($0) }
        let progress = ProgressBar("verify")
        do {
            signatures?.opener = try SealedJournal.opener(
                directory, configuration?.personal.masterKeys ?? [])
            var verifier = JournalVerifier(
                directory: directory, anchor: try anchor.map(AnchorFile.read))
            let verification = try verifier.run(progress: { progress.show($0, of: $1) }) {
                sequence, record in
                try signatures?.check(sequence, record)
            }
            progress.finish()
            try report(verification, signatures)
        } catch let code as ExitCode {
            progress.finish()
            throw code
        } catch {
            progress.finish()
            throw JournalFailure.exit(error)
        }
    }

    private func report(_ verification: Verification, _ signatures: SignatureCheck?) throws {
        let span = verification.span.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "none"
        var report = NamedValues()
        report.line("segments", "\(verification.segments)")
        report.line("frames", "\(verification.frames)")
        report.line("records", "\(verification.records)")
        report.line("sequences", span)
        report.line("chain head", "\(verification.chainHead)")
        if let torn = verification.torn {
            report.line(
                "torn tail",
                "\(torn.file) at byte \(torn.offset): never acknowledged, removed at the next start"
            )
        }
        for damage in verification.snapshotsDamaged {
            report.line("snapshot", "\(damage): not used; the journal does not need it")
        }
        StandardOutput.print(report.text())
        try VerificationVerdict(
            chain: "journal", damage: verification.damage.map { "\($0)" },
            hasAnchor: anchor != nil, anchorSequence: verification.anchorSequence
        ).report(signatures)
    }
}

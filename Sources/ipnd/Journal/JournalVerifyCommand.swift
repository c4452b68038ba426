import ArgumentParser
import Configuration
import Glibc
import Journal
import Platform

/// `ipnd journal verify DIR`
struct JournalVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Checks every frame, link of the chain and sequence.",
        discussion: """
            With --config each record's signature is verified again from the bytes that the record \
            keeps, its time judged by when it was received. With --anchor the chain must contain the \
            head that the file names (from `ipnd journal stat` or an earlier verify): whoever \
            rewrites a journal cannot keep it.

            Exit status 0 when it is intact, 72 when it is damaged or a signature is wrong, 66 when \
            there is none, 1 when the frames are intact and some records verify only with keys that \
            the configuration no longer has.
            """)

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @Option(help: "Verify the providers' signatures with the keys of this configuration.")
    var config: String?
    @Option(help: "A file with a chain head noted earlier.", completion: .file()) var anchor:
        String?

    func run() throws {
        var signatures: SignatureCheck?
        if let config {
            var option = ConfigurationOption()
            option.config = config
            signatures = SignatureCheck(try option.load())
        }
        let progress = ProgressBar("verify")
        do {
            var verifier = JournalVerifier(directory: directory, anchor: try anchorValue())
            let verification = try verifier.run(progress: { progress.show($0, of: $1) }) {
                sequence, record in
                try signatures?.check(sequence, record)
            }
            progress.finish()
            try report(verification, signatures)
        } catch let code as ExitCode {
            throw code
        } catch {
            progress.finish()
            throw JournalFailure.exit(error)
        }
    }

    private func anchorValue() throws -> ChainValue? {
        guard let anchor else { return nil }
        let contents = try? FileContents(path: anchor, bytesMax: 65_536, allowsPipes: true)
        let text = contents.map { String(decoding: $0.bytes, as: UTF8.self) }
        guard let text, let value = ChainValue(hexadecimal: Self.firstWord(text))
        else {
            StandardError.print("ipnd: \(anchor): no chain head of 64 hex digits in it")
            throw ExitCode(EX_DATAERR)
        }
        return value
    }

    /// The file may be a whole line of `stat`'s output, or the digits alone.
    private static func firstWord(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace)
        return String(words.first { $0.utf8.count == 64 } ?? "")
    }

    private func report(_ verification: Verification, _ signatures: SignatureCheck?) throws {
        let span = verification.span.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "none"
        StandardOutput.print(
            """
            segments     \(verification.segments)
            frames       \(verification.frames)
            records      \(verification.records)
            sequences    \(span)
            chain head   \(verification.chainHead)
            """)
        if let torn = verification.torn {
            StandardOutput.print(
                "torn tail    \(torn.file) at byte \(torn.offset): never acknowledged, cut at the next start"
            )
        }
        for damage in verification.snapshotsDamaged {
            StandardOutput.print("snapshot     \(damage): not used; the journal alone is the truth")
        }
        if let damage = verification.damage {
            StandardError.print("ipnd: \(damage)")
            throw ExitCode(EX_OSFILE)
        }
        if anchor != nil {
            guard let sequence = verification.anchorSequence else {
                StandardError.print("ipnd: the anchor is no link of this journal's chain")
                throw ExitCode(EX_OSFILE)
            }
            StandardOutput.print("anchor       found after sequence \(sequence)")
        }
        if let signatures { try signatures.report() }
        StandardOutput.print("intact")
    }
}

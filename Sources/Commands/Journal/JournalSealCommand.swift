import ArgumentParser
import Console
import Glibc
import Journal
import JournalStore
import ServerConfiguration

/// `ipnd journal seal DIR --to NEW`
struct JournalSealCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal", abstract: "Copy a journal into a new one whose records are sealed.",
        discussion: """
            `ipnd serve` seals new records only; this seals those that are there, with the first \
            of `personal.masterKeys`. Identity, sequences, orders and positions of consumers stay, \
            the chain of hashes is another one. Stop the server, seal, let the new directory take \
            the place of the old one, start, and destroy the old one with its backups.

            Exit status 72: the journal is in use or damaged, or the new directory is not empty. \
            78: there is no master key, or it is not the right one.

            Example: ipnd journal seal /var/lib/ipnd/journal --to /var/lib/ipnd/sealed
            """)

    @OptionGroup var rewriting: RewritingOptions

    func run() throws {
        let configuration = try rewriting.file.load()
        guard !configuration.personal.masterKeys.isEmpty else {
            StandardError.print(
                "ipnd: \(configuration.file) has no `personal.masterKeys` to seal with")
            throw ExitCode(EX_CONFIG)
        }
        try rewriting.run(configuration, seals: true)
    }
}

/// `ipnd journal unseal DIR --to NEW`
struct JournalUnsealCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unseal",
        abstract: "Copy a journal into a new one whose records are stored as they are.",
        discussion: """
            The opposite of `seal`: afterwards, `personal.masterKeys` can be removed from the \
            configuration. Erased records stay erased.

            Exit status 72: the journal is in use or damaged, or the new directory is not empty. \
            78: the master key is missing or not the right one.

            Example: ipnd journal unseal /var/lib/ipnd/journal --to /var/lib/ipnd/plain
            """)

    @OptionGroup var rewriting: RewritingOptions

    func run() throws { try rewriting.run(rewriting.file.load(), seals: false) }
}

/// A journal, the new one, and the configuration with the keys.
struct RewritingOptions: ParsableArguments {
    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @Option(help: "The new journal's directory, empty or missing.", completion: .directory)
    var to: String
    @OptionGroup var file: ConfigurationOption

    fileprivate func run(_ configuration: Configuration, seals: Bool) throws {
        let owner = FolderOwner(of: to)
        let progress = ProgressBar(seals ? "seal" : "unseal")
        do {
            let rewrite = JournalRewrite(
                of: directory, to: to, configuration.personal.masterKeys, seals: seals,
                options: JournalStoreOptions(configuration).journal)
            let outcome = try rewrite.run { progress.show($0, of: $1) }
            progress.finish()
            var report = NamedValues()
            report.line("store", outcome.store)
            report.line("records", "\(outcome.records) \(seals ? "sealed" : "opened")")
            if outcome.erased > 0 { report.line("erased", "\(outcome.erased), which stay so") }
            report.line("sequences", "up to \(outcome.last)")
            StandardOutput.print(report.text())
            owner?.adopt()
        } catch {
            progress.finish()
            throw JournalFailure.exit(error)
        }
    }
}

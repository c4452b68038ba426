import ArgumentParser
import Console
import Glibc
import Platform
import Providers
import ServerConfiguration

/// `ipnd vectors FILE --provider NAME`
struct VectorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract: "Check a provider's rules against a file of signed requests.",
        discussion: """
            FILE is JSON: the lists `vectors` (genuine requests and the events in them), \
            `negatives` (requests that must be refused) and `traps` (requests that verify and must \
            not be believed as they read). Each entry has the endpoint's settings as `config`. \
            Each request is verified, read, applied to an order and answered by the rules that the \
            server runs. Nothing is stored and nothing is sent.

            Exit status 0: everything is as the file says. 1: something differs. 65: the file is \
            not such a file. 66: there is no such file.

            Example: ipnd vectors vectors.json --provider \(ExampleName.recipe)
            """)

    @Argument(help: "The file of vectors.", completion: .file(extensions: ["json"]))
    var file: String
    @Option(help: "The provider's name, as in the configuration.") var provider: String
    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        let found = ProviderCatalog.provider(named: provider, beside: configuration.config)
        for finding in found.findings { StandardError.print("\(finding)") }
        guard let descriptor = found.descriptor else {
            guard found.findings.isEmpty else { throw ExitCode(EX_CONFIG) }
            throw ValidationError(
                "--provider: " + KnownNames.complaint("provider", provider, among: found.known))
        }
        try Self.check(file, descriptor, command: "vectors")
    }

    /// Runs the file at `path`, prints the report, and throws the exit status where something
    /// differs.
    ///
    /// - Parameter command: The command's name, for messages.
    static func check(_ path: String, _ descriptor: ProviderDescriptor, command: String) throws {
        let vectors: VectorFile
        do throws(VectorFileError) {
            vectors = try VectorFile.read(path)
        } catch {
            StandardError.print("ipnd \(command): \(path) \(error.clause)")
            throw ExitCode(error.status)
        }
        let report = VectorRun(descriptor).report(on: vectors)
        StandardOutput.print(report.text)
        guard report.isPassed else { throw ExitCode(EXIT_FAILURE) }
    }
}

import ArgumentParser
import Configuration
import Glibc
import Providers
import Trials

/// `ipnd explain FILE --config FILE`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says why a captured request does not verify.",
        discussion: """
            FILE is a raw request (a request line, headers, an empty line, the body) or entries of \
            the rejection log. What goes wrong in practice is tried one after another with the \
            provider's own verification: another key, a rewritten path, a re-encoded body, a \
            changed header … No secret is printed.

            Exit status 0 when it verifies or one of the tries does, 1 when none does, 66 when \
            there is no such request.
            """)

    @Argument(help: "A .http file, or rejections.jsonl.", completion: .file()) var capture: String
    @OptionGroup var file: ConfigurationOption
    @Option(help: "The endpoint it came to; from the log's entry or the path without it.")
    var endpoint: String?
    @Option(help: "Which entry of the rejection log; the last one without it.") var id: String?
    @Option(help: "A key or secret to try besides (repeatable).", completion: .file())
    var key: [String] = []
    @Flag(help: "One JSON object.") var json = false

    func run() throws {
        let configuration = try file.load()
        let (request, named) = try captured()
        let chosen = try choose(configuration, request, endpoint ?? named)
        guard let system = ProviderRegistry.all[chosen.system] else { throw ExitCode(EX_CONFIG) }
        let isKeyPair = system.credential == .rsaKeyPair
        let given = try key.map { path in
            guard
                let candidate = Suspect.Candidate.read(
                    path, name: "--key \(path)", isKeyPair: isKeyPair)
            else { throw ValidationError("--key \(path): no key that \(system.title) could use") }
            return Suspect.Candidate(name: "--key \(path)", bytes: candidate.bytes)
        }
        let suspect = Suspect(
            request: request, system: system, settings: chosen.settings,
            publicPath: chosen.publicPath,
            others: configuration.endpoints.filter { $0.name != chosen.name },
            candidates: given
                + Suspect.Candidate.beside(folder: configuration.folder, for: system))
        let explanation = Explainer.explain(suspect)
        if json {
            _ = StandardOutput.write(explanation.json + [UInt8(ascii: "\n")])
        } else {
            StandardOutput.print(ExplainReport.text(explanation, endpoint: chosen))
        }
        guard explanation.isExplained else { throw ExitCode(1) }
    }

    /// The request, and the endpoint that the rejection log names.
    private func captured() throws -> (CapturedRequest, String?) {
        do throws(ReplayError) {
            let bytes = try SmallFile.bytes(capture)
            if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
                let entries = RejectionEntry.entries(of: bytes).entries
                guard let entry = id.map({ id in entries.first { $0.id == id } }) ?? entries.last
                else { throw .nothingToSend(capture) }
                if !json {
                    StandardOutput.print(
                        "entry \(entry.id) of \(entry.received), refused as \(entry.reason)")
                }
                return (entry.request, entry.endpoint)
            }
            guard let request = CapturedRequest(raw: bytes) else { throw .notHTTP(capture) }
            return (request, nil)
        } catch {
            let text =
                if case .nothingToSend = error {
                    "\(capture): no such entry" + (id.map { " as \($0)" } ?? "")
                } else { "\(error)" }
            StandardError.print("ipnd explain: \(text)")
            throw ExitCode(EX_NOINPUT)
        }
    }

    private func choose(
        _ configuration: Configuration, _ request: CapturedRequest, _ name: String?
    ) throws -> EndpointConfiguration {
        let known = configuration.endpoints.map(\.name).joined(separator: ", ")
        if let name {
            guard let endpoint = configuration.endpoint(named: name) else {
                throw ValidationError("the configuration has no endpoint \(name); it has \(known)")
            }
            return endpoint
        }
        let path = String(decoding: request.path, as: UTF8.self)
        let found = configuration.endpoints.first { $0.path == path || $0.publicPath == path }
        guard
            let found = found
                ?? configuration.endpoints.first(where: { _ in
                    configuration.endpoints.count == 1
                })
        else {
            throw ValidationError(
                "no endpoint has the path \(TextTable.printable(path)); say which one it was for "
                    + "with --endpoint: \(known)")
        }
        return found
    }
}

import ArgumentParser
import Console
import Explain
import Glibc
import Platform
import Providers
import Sealing
import ServerConfiguration
import Simulator

/// `ipnd explain FILE --config FILE`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Find out why a captured request does not verify.",
        discussion: """
            FILE is a raw request (a request line, headers, an empty line, the body) or entries of \
            the rejection log (default: the last request in the configuration's rejection log). \
            Tries the usual causes one by one with the provider's own verification: another \
            key, a rewritten path, a re-encoded body, a changed header and so on. A request to an \
            unknown path is verified at the nearest endpoint. No secret is printed.

            Exit status 0: it verifies, or a cause was found. 1: no cause was found. 66: there is \
            no such request.

            Example: ipnd explain request.http --config /etc/ipnd/ipnd.yaml
            """)

    @Argument(
        help: "A .http file, or rejections.jsonl (default: the configuration's).",
        completion: .file())
    var capture: String?
    @OptionGroup var file: ConfigurationOption
    @Option(help: "The endpoint it was sent to (default: from the log entry or the path).")
    var endpoint: String?
    @Option(help: "Entry of the rejection log, by its id (default: the last one).") var id: String?
    @Option(
        help: "A file with another key or secret to try (repeatable).", completion: .file())
    var key: [String] = []
    @Option(help: "A path under which the provider may know the endpoint (repeatable).")
    var path: [String] = []
    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var display: TerminalOptions

    func run() throws {
        let configuration = try file.load()
        let (request, entry) = try captured(configuration)
        let found = CapturedCase(
            configuration: configuration, request: request, entry: entry, clock: SystemClock())
        let misdirection = found.misdirection
        let chosen = try choose(
            configuration, request, endpoint ?? found.endpointName(misdirection))
        let system = chosen.descriptor
        let isKeyPair = system.credential == .rsaKeyPair
        let given = try key.enumerated().map { index, path in
            // A secret given in place of a file name must not be printed.
            let name = access(path, F_OK) == 0 ? "--key \(path)" : "--key, number \(index + 1)"
            guard
                let candidate = Suspect.Candidate.read(path, name: name, isKeyPair: isKeyPair)
            else {
                throw ValidationError(
                    "\(name): give the path of a file with a key that \(system.title) can use, "
                        + "not the key itself")
            }
            return Suspect.Candidate(name: name, bytes: candidate.bytes)
        }
        let suspect = found.suspect(
            at: chosen, system, misdirection, candidates: given, paths: path)
        let explanation = Explainer.explain(
            suspect, keyHint: json ? "" : " (`--key FILE` tries another one)")
        if json {
            _ = StandardOutput.write(explanation.json + [UInt8(ascii: "\n")])
        } else {
            StandardOutput.print(
                ExplainReport(terminal: display.terminal).text(explanation, endpoint: chosen))
        }
        guard explanation.isExplained else { throw ExitCode(1) }
    }

    /// The request, and its entry in the rejection log.
    private func captured(
        _ configuration: Configuration
    ) throws -> (CapturedRequest, RejectionEntry?) {
        let folder = configuration.rejections.directory
        let seal = SideSeal.rejections(configuration.personal.masterKeys)
        do throws(ReplayError) {
            guard let capture else {
                let entries = try RejectionEntry.entries(inFolder: folder, seal: seal).entries
                return try chosen(entries, from: folder)
            }
            let bytes = try FileContents.replayed(capture)
            if RejectionEntry.isLog(bytes) {
                let entries = RejectionEntry.entries(of: bytes, seal: seal).entries
                return try chosen(entries, from: capture)
            }
            guard let request = CapturedRequest(raw: bytes) else { throw .notHTTP(capture) }
            return (request, nil)
        } catch {
            StandardError.print("ipnd explain: \(error)")
            throw ExitCode(EX_NOINPUT)
        }
    }

    private func chosen(
        _ entries: [RejectionEntry], from log: String
    ) throws(ReplayError) -> (CapturedRequest, RejectionEntry?) {
        guard let entry = id == nil ? entries.last : entries.first(where: { $0.id == id }) else {
            throw .noEntry(log, id: id)
        }
        if entry.isErased { throw .erased(log, id: entry.id) }
        if let master = entry.lockedBy { throw .sealed(log, id: entry.id, master: master) }
        if !json {
            let terminal = display.terminal
            StandardOutput.print(
                "\(terminal.bold("entry")) \(entry.id) of \(terminal.time(entry.received)), "
                    + "refused as \(entry.reason)")
        }
        return (entry.request, entry)
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

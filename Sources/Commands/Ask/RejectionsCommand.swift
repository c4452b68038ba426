import ArgumentParser
import Console
import Glibc
import Platform
import Receiver
import Sealing
import ServerConfiguration
import Simulator

/// `ipnd rejections`
struct RejectionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejections",
        abstract: "List refused requests, newest last.",
        discussion: """
            The log is limited in entries, bytes and entries per second (`rejections:` in the \
            configuration); requests over the rate only count in the metrics. `ipnd explain` finds \
            out why a request did not verify.

            Example: ipnd rejections --reason signature_mismatch
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(
        help: "Read this rejection log's directory instead; needs no configuration.",
        completion: .directory)
    var directory: String?
    @Option(
        help: "Only requests to this endpoint, or to an unknown path closest to it.",
        completion: .endpoints)
    var endpoint: String?
    @Option(help: "Only requests with this reason code.") var reason: String?
    @Option(help: "Maximum number shown; the newest are kept.") var limit = 50
    @Flag(help: "Print JSON Lines, including the whole requests.") var json = false
    @OptionGroup var display: TerminalOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() throws {
        let configuration = try directory == nil ? file.load() : nil
        let folder = directory ?? configuration?.rejections.directory ?? ""
        let seal = SideSeal.rejections(configuration?.personal.masterKeys ?? [])
        // The configured folder is made when the first request is refused.
        if let directory, access(directory, F_OK) != 0 {
            StandardError.print("ipnd rejections: \(directory) does not exist")
            throw ExitCode(EX_NOINPUT)
        }
        var entries: [RejectionEntry] = []
        var broken = 0
        do throws(ReplayError) {
            (entries, broken) = try RejectionEntry.entries(inFolder: folder, seal: seal)
        } catch {
            StandardError.print("ipnd rejections: \(error)")
            throw ExitCode(EX_NOINPUT)
        }
        let all = entries
        entries = entries.filter {
            (endpoint == nil || ($0.nearest ?? $0.endpoint) == endpoint)
                && (reason == nil || $0.reason == reason)
        }
        if entries.isEmpty { try checkNames(against: all) }
        show(entries.suffix(limit), of: entries.count)
        if broken > 0 {
            StandardError.print("ipnd rejections: \(counted(broken, "invalid line"))")
        }
    }

    /// Reports an unknown endpoint or reason code.
    private func checkNames(against entries: [RejectionEntry]) throws {
        var complaint: String?
        let endpoints = Set(entries.map { $0.nearest ?? $0.endpoint })
        if let endpoint, directory == nil, !endpoints.contains(endpoint) {
            complaint = KnownNames.complaint(ofEndpoint: endpoint, inFile: file.config)
                .map { "--endpoint: \($0)" }
        }
        let reasons = Set(entries.map(\.reason)).union(ReasonCodes.all)
        if complaint == nil, let reason, !reasons.contains(reason) {
            complaint =
                "--reason: " + KnownNames.complaint("reason", reason, among: reasons.sorted())
        }
        guard let complaint else { return }
        StandardError.print("ipnd rejections: \(complaint)")
        throw ExitCode(EX_USAGE)
    }

    private func show(_ entries: ArraySlice<RejectionEntry>, of count: Int) {
        if json {
            for entry in entries {
                guard StandardOutput.write(entry.line + [UInt8(ascii: "\n")]) else { return }
            }
            return
        }
        guard !entries.isEmpty else {
            StandardOutput.print("No requests were refused.")
            return
        }
        var table = TextTable([
            ("id", .left), ("received", .time), ("endpoint", .left), ("reason", .left),
            ("client", .left), ("bytes", .right), ("detail", .left),
        ])
        for entry in entries {
            table.add([
                entry.id, entry.received, entry.endpoint, entry.reason, entry.client,
                String(entry.request.body.count), entry.detail,
            ])
        }
        table.print(on: display.terminal)
        if count > entries.count {
            let older = count - entries.count
            StandardOutput.print(
                "\(older) older \(older == 1 ? "entry" : "entries") not shown; use --limit \(count)"
            )
        }
    }
}

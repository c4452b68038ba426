import ArgumentParser
import Console
import Glibc
import JournalStore
import Platform
import Providers
import RawClient
import Sealing
import ServerConfiguration
import Simulator
import TLS

import struct Payments.Timestamp

/// `ipnd replay SOURCE --url URL`
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Resend recorded notifications, byte for byte.",
        discussion: """
            SOURCE is a journal directory, a file with a raw request, a folder of .http files \
            (sent in order of their names), or a rejection log: once the cause is fixed, the \
            refused requests are resent. Method, target, headers and body are unchanged. For \
            records, only the headers that frame a message (Content-Length, Transfer-Encoding, \
            Connection …) are regenerated. A path in --url replaces every target.

            Exit status 0: all answers accepted by the provider's rules (files: any 2xx, or by \
            --provider). 1: not all. 66: nothing to send. 69: server unreachable. 72: the journal \
            is damaged.

            Example: ipnd replay sandbox/journal --url http://127.0.0.1:8080
            """)

    @Argument(
        help: "A journal's directory, a .http file, a folder of them, or rejections.jsonl.",
        completion: .file())
    var source: String
    @OptionGroup(title: "Where") var route: ReplayRouteOptions
    @Option(
        help: "fastest, recorded (with the original pauses) or N-per-second.",
        transform: { text in
            guard let pace = ReplayPace(text) else {
                throw ValidationError(
                    "“\(text)” is not a valid pace; write fastest, recorded or 100-per-second")
            }
            return pace
        })
    var pace = ReplayPace.fastest
    @Option(help: "Speed up `recorded` by this factor.") var speed = 1.0
    @Option(help: "Only requests to this endpoint.", completion: .endpoints)
    var endpoint: String?
    @Option(help: "Start after this sequence number.") var after: UInt64 = 0
    @Option(help: "Only this entry of a rejection log.") var id: String?
    @Option(
        help: "Only requests received at this time or later, such as 2026-11-22T07:00:00Z.",
        transform: { text in
            guard let time = Timestamp(iso8601: text) else {
                throw ValidationError(
                    "“\(text)” is not a valid time; write 2026-11-22T07:00:00Z")
            }
            return time
        })
    var since: Timestamp?
    @Option(
        help: "For files: the provider whose rules the answers are checked by (see `ipnd add`).")
    var provider: String?
    @Flag(help: "Print JSON Lines: one per request, then a summary.") var json = false
    @Option(help: "Open sealed records with the master keys of this configuration.")
    var config: String?

    func validate() throws {
        guard speed > 0, speed.isFinite else { throw ValidationError("--speed must be above 0") }
        if let provider, ProviderCatalog.shipped[provider] == nil {
            let known = ProviderCatalog.shipped.names.sorted().joined(separator: ", ")
            throw ValidationError("--provider: “\(provider)” is unknown; use one of \(known)")
        }
    }

    func run() throws {
        // OpenSSL writes without MSG_NOSIGNAL: a closed connection must be an error, not a signal.
        signal(SIGPIPE, SIG_IGN)
        let client = RawClient(route.url, tls: try route.tlsClient(), limits: ClientLimits())
        var replayer = Replayer(
            courier: client, host: route.url.authority, target: route.url.target, pace: pace,
            clock: ScaledClock(SystemClock(), speed: speed))
        let reporter = ReplayReporter(isJSON: json)
        do {
            var selection = ReplaySource.Selection()
            (selection.endpoint, selection.after) = (endpoint, after)
            (selection.id, selection.since) = (id, since)
            let masters = try masterKeys()
            selection.opener = try SealedJournal.opener(source, masters)
            try ReplaySource(path: source, seal: .rejections(masters)).forEach(selection) { item in
                if let hindrance = item.hindrance {
                    reporter.skip(item, hindrance)
                    return true
                }
                var item = item
                if item.provider == nil { item.provider = provider }
                return reporter.report(replayer.send(item))
            }
        } catch let error as ReplayError {
            StandardError.print("ipnd replay: \(error)")
            if case .noEndpoint = error { throw ExitCode(EX_USAGE) }
            throw ExitCode(EX_NOINPUT)
        } catch {
            throw JournalFailure.exit(error)
        }
        let status = reporter.end()
        guard status == 0 else { throw ExitCode(status) }
    }
}

extension ReplayItem {
    /// Why it is not sent; nil if it can be.
    fileprivate var hindrance: String? {
        switch personal {
        case .erased: "it was erased"
        case .sealed: "it is sealed; name the configuration with its master key by --config"
        case .open where request.redaction != nil:
            "parts of it were removed before it was stored, so it does not verify any more"
        case .open: nil
        }
    }
}

extension ReplayCommand {
    fileprivate func masterKeys() throws -> [MasterKey] {
        guard let config else { return [] }
        var option = ConfigurationOption()
        option.config = config
        return try option.load().personal.masterKeys
    }
}

/// The destination of `ipnd replay`.
struct ReplayRouteOptions: ParsableArguments {
    @Option(
        help: "Where to send: http://…, https://… or unix:/path.",
        transform: { text in
            guard let destination = Destination(text) else {
                throw ValidationError(
                    "“\(text)” is not a valid URL; write http://127.0.0.1:8080, https://host/path "
                        + "or unix:/run/ipnd.sock")
            }
            return destination
        })
    var url: Destination
    @Option(help: "CA certificates (PEM).", completion: .file()) var ca: String?
    @Flag(help: "Trust any certificate; local testing only.") var insecure = false

    func tlsClient() throws -> TLSClient? {
        guard url.usesTLS else { return nil }
        do throws(TLSError) {
            return try TLSClient(trust: insecure ? .anyone : ca.map { .file($0) } ?? .systemRoots)
        } catch {
            StandardError.print("ipnd replay: \(error)")
            throw ExitCode(EX_CONFIG)
        }
    }
}

/// The output of `ipnd replay`.
final class ReplayReporter {
    private let isJSON: Bool
    private var tally = ReplayTally()

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Prints a line for an exchange. Returns false if the server is unreachable, which ends the
    /// replay.
    func report(_ exchange: ReplayExchange) -> Bool {
        tally.add(exchange)
        if isJSON {
            _ = StandardOutput.write(exchange.json + [UInt8(ascii: "\n")])
        } else {
            StandardOutput.print(Self.line(exchange))
        }
        return !tally.neverConnected
    }

    /// Reports a request that cannot be sent.
    func skip(_ item: ReplayItem, _ hindrance: String) {
        StandardError.print("ipnd replay: \(item.name) skipped: \(hindrance)")
    }

    private static func line(_ exchange: ReplayExchange) -> String {
        let answer =
            switch exchange.result {
            case .success(let response): String(response.status)
            case .failure(let error): error.reason
            }
        let verdict =
            switch exchange.verdict {
            case .accepted: "accepted"
            case .sendsAgain(let why): "would retry: \(why)"
            }
        let target = String(decoding: exchange.item.request.target, as: UTF8.self)
        return TextTable.printable(
            "\(exchange.item.name)  \(target)  \(answer)  \(exchange.micros / 1000) ms  \(verdict)")
    }

    /// Prints the counts and returns the exit status.
    func end() -> Int32 {
        if isJSON {
            _ = StandardOutput.write(tally.report.json + [UInt8(ascii: "\n")])
        } else {
            StandardOutput.print(
                "\(tally.requests) sent, \(tally.accepted) accepted, "
                    + "\(tally.requests - tally.accepted) not accepted; "
                    + "answers: \(tally.answersText)"
            )
        }
        if let failure = tally.connectFailure { StandardError.print("ipnd replay: \(failure)") }
        return tally.exitStatus
    }
}

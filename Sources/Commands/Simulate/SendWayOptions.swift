import ArgumentParser
import RawClient
import Simulator
import TLS

/// Where `ipnd send` sends, and how.
struct SendWayOptions: ParsableArguments {
    @Option(
        help: "Where to send: http://…, https://… or unix:/path (default: the first listener).",
        transform: { text in
            guard let destination = Destination(text) else {
                throw ValidationError(
                    "“\(text)” is not a valid URL; write http://127.0.0.1:8080, https://host/path "
                        + "or unix:/run/ipnd.sock")
            }
            return destination
        })
    var url: Destination?
    @Option(help: "Number of concurrent requests.") var concurrency: Int?
    @Option(help: "CA certificates (PEM).", completion: .file()) var ca: String?
    @Flag(help: "Trust any certificate; local testing only.") var insecure = false
    @Flag(help: "Retry on the provider's published schedule until the answer is accepted.")
    var schedule = false
    @Option(help: "Speed up the retry schedule by this factor.") var speed = 1.0
    @Option(
        help:
            "Tell a running `ipnd simulate` first, which then answers inquiries.",
        transform: AdminURL.read)
    var simulator: Destination?
    @Option(
        help: "Where to ask what the order became, if it differs from the configuration.",
        transform: AdminURL.read)
    var admin: Destination?
    @Flag(help: "Only tell the simulator: the notifications are lost.") var lose = false
    @Option(help: "Timeout for each answer, in seconds.") var timeout = 30

    func validate() throws {
        if let concurrency, !(1...1024).contains(concurrency) {
            throw ValidationError("--concurrency must be between 1 and 1024")
        }
        guard speed > 0, speed.isFinite else { throw ValidationError("--speed must be above 0") }
        guard (1...3600).contains(timeout) else {
            throw ValidationError("--timeout must be between 1 and 3600 seconds")
        }
        if lose, simulator == nil { throw ValidationError("--lose needs --simulator") }
        if simulator?.usesTLS == true {
            throw ValidationError("--simulator: `ipnd simulate` speaks plain HTTP")
        }
        if ca != nil, insecure { throw ValidationError("give either --ca or --insecure") }
    }

    var limits: ClientLimits {
        var limits = ClientLimits()
        limits.exchangeMillisecondsMax = timeout * 1000
        return limits
    }

    /// What `https` needs; nil where the destination is not.
    func tlsClient(for destination: Destination) throws(SimulationError) -> TLSClient? {
        guard destination.usesTLS else { return nil }
        do throws(TLSError) {
            return try TLSClient(trust: insecure ? .anyone : ca.map { .file($0) } ?? .systemRoots)
        } catch {
            throw .noDestination("\(error)")
        }
    }
}

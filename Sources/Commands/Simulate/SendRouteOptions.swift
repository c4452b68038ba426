import ArgumentParser
import Console
import Providers
import RawClient
import Simulator
import TLS

/// The destination of `ipnd send`, and how it is reached.
struct SendRouteOptions: ParsableArguments {
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
            "Register the orders with a running `ipnd simulate`, which then answers inquiries.",
        transform: AdminURL.read)
    var simulator: Destination?
    @Option(
        help: "URL of the admin listener to check the order at, if not the configuration's.",
        transform: AdminURL.read)
    var admin: Destination?
    @Flag(help: "Only register with the simulator: the notifications are lost.") var lose = false
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

    /// The TLS client for an `https` destination; nil for others.
    func tlsClient(for destination: Destination) throws(SimulationError) -> TLSClient? {
        guard destination.usesTLS else { return nil }
        do throws(TLSError) {
            return try TLSClient(trust: insecure ? .anyone : ca.map { .file($0) } ?? .systemRoots)
        } catch {
            throw .noDestination("\(error)")
        }
    }

    /// Registers the events of each order with the simulator, so that its answers agree with the
    /// notifications.
    ///
    /// - Throws: `noDestination` if the simulator does not accept them.
    func register(_ plan: SimulationPlan, endpoint: String) throws(SimulationError) {
        guard let simulator else { return }
        let client = RawClient(simulator, limits: limits)
        for life in plan.lives {
            let request = RequestBytes.encode(
                method: "POST", target: Array("/simulate/payments".utf8)[...],
                host: simulator.authority,
                headers: [
                    (Array("Content-Type".utf8)[...], Array("application/json".utf8)[...])
                ], body: life.json(endpoint: endpoint))
            let response: ReceivedResponse
            do throws(ClientError) { response = try client.exchange(request) } catch {
                throw .noDestination("\(error). Is `ipnd simulate` running?")
            }
            guard response.status == 204 else {
                let words = String(decoding: response.body.prefix(200), as: UTF8.self)
                throw .noDestination(
                    "\(simulator) answers \(response.status): \(TextTable.printable(words))")
            }
        }
    }
}

import ArgumentParser
import Platform
import RawClient
import ServerConfiguration
import Simulator
import SimulatorServer

/// The orders that `ipnd simulate` creates.
struct SimulationOptions: ParsableArguments {
    @Option(help: "Number of orders of each endpoint; 0 only answers.") var count = 0
    @Option(help: "Orders that begin per second, all endpoints together.") var rate = 10.0
    @Option(
        help: "Scenario of the orders (repeatable; default: a mixture).",
        completion: .list(Scenario.all.map(\.name)))
    var scenario: [String] = []
    @Option(help: "Share of the notifications that never arrive.") var loss = 0.0
    @Option(help: "Share of the notifications that arrive several times.") var repeats = 0.0
    @Option(help: "Longest delay of a notification, in seconds of the provider's clock.")
    var delay = 0.0
    @Option(help: "Pause between two events of an order, in seconds of the provider's clock.")
    var pause = 60.0
    @Option(help: "Speed up the provider's clock by this factor.") var speed = 60.0
    @Option(help: "Seed; the same seed repeats the simulation (default: a new one).") var seed:
        UInt64?
    @Option(help: "Prefix of every reference (default: SIM and the seed).") var prefix: String?
    @Option(help: "Number of concurrent requests.") var concurrency = 8
    @Option(
        help: "Register each order with ipnd first, expiring after this number of seconds.")
    var expect: Int?
    @Option(
        help: "Where to send: http://… or unix:/path (default: the first listener).",
        transform: ServerURL.read)
    var url: Destination?
    @Option(
        help: "URL of the admin listener for --expect, if it differs from the configuration.",
        transform: AdminURL.read)
    var admin: Destination?

    /// Each order takes about 1 KiB of memory.
    static let countMax = 1_000_000

    func validate() throws {
        guard (0...Self.countMax).contains(count) else {
            throw ValidationError("--count must be between 0 and \(Self.countMax)")
        }
        for (name, share) in [("loss", loss), ("repeats", repeats)] {
            guard (0...1).contains(share) else {
                throw ValidationError("--\(name) must be between 0 and 1")
            }
        }
        for (name, seconds) in [("delay", delay), ("pause", pause)] {
            guard (0...31_536_000).contains(seconds) else {
                throw ValidationError("--\(name) must be between 0 and a year")
            }
        }
        for (name, factor) in [("rate", rate), ("speed", speed)] {
            guard factor > 0, factor <= 1e9 else {
                throw ValidationError("--\(name) must be above 0, and at most 1e9")
            }
        }
        guard (1...1024).contains(concurrency) else {
            throw ValidationError("--concurrency must be between 1 and 1024")
        }
        if let expect, !(1...31_536_000).contains(expect) {
            throw ValidationError("--expect must be between 1 second and a year")
        }
        for name in scenario where Scenario.playable(name) == nil {
            let known = (Scenario.all + [.abandoned]).filter(\.isPlayable).map(\.name)
            throw ValidationError(
                "--scenario: “\(name)” cannot be played; use one of "
                    + known.joined(separator: ", "))
        }
    }

    func settings(_ clock: any Clock) -> SimulationSettings {
        var settings = SimulationSettings()
        let seed = seed ?? UInt64(clock.wallMicroseconds)
        settings.count = count
        settings.rate = rate
        settings.loss = loss
        settings.repeats = repeats
        settings.delaySeconds = delay
        settings.stepSeconds = pause
        settings.speed = speed
        settings.seed = seed
        settings.prefix = prefix ?? "SIM-\(String(seed, radix: 36).uppercased())"
        settings.expectSeconds = expect
        settings.concurrency = concurrency
        if !scenario.isEmpty { settings.scenarios = scenario.compactMap { .playable($0) } }
        return settings
    }

    /// The simulation of these settings.
    func player(
        _ settings: SimulationSettings, _ configuration: Configuration,
        _ endpoints: [SimulatedEndpoint],
        log: PaymentLog, tally: SimulationCounters, clock: any Clock
    ) throws(SimulationError) -> SimulationPlayer {
        guard settings.count > 0 else {
            // Nothing is sent, so no destination is needed.
            return try SimulationPlayer(
                settings, endpoints: [], places: [], log: log, tally: tally, shop: nil,
                clock: clock)
        }
        var places: [SimulationDestination] = []
        for endpoint in endpoints {
            let place = try SimulationDestination(
                configuration, endpoint.sender.endpoint, url: url)
            guard !place.destination.usesTLS else {
                throw .noDestination("the listener speaks TLS: name a plain one with --url")
            }
            places.append(place)
        }
        return try SimulationPlayer(
            settings, endpoints: endpoints, places: places, log: log, tally: tally,
            shop: try shop(configuration), clock: clock)
    }

    private func shop(_ configuration: Configuration) throws(SimulationError) -> SimulatedShop? {
        guard expect != nil else { return nil }
        guard let admin = configuration.admin else {
            throw .noDestination("--expect needs an `admin:` in the configuration")
        }
        let destination = self.admin ?? AdminURL.destination(admin)
        guard !destination.usesTLS else {
            throw .noDestination("--expect needs an admin listener without TLS")
        }
        return SimulatedShop(destination: destination, token: admin.token)
    }
}

extension Scenario {
    /// Whether every event is sent once, in order, and signed.
    var isPlayable: Bool {
        copies == 1 && !arrivesReversed && steps.allSatisfy { $0.authenticity == .genuine }
    }

    static func playable(_ name: String) -> Scenario? {
        if name == abandoned.name { return .abandoned }
        return named(name).flatMap { $0.isPlayable ? $0 : nil }
    }
}

/// Reads a `--url` without a path: several endpoints' paths come from the configuration.
enum ServerURL {
    static func read(_ text: String) throws -> Destination {
        guard let destination = Destination(text), destination.target == nil,
            !destination.usesTLS
        else {
            throw ValidationError(
                "“\(text)” is not a valid URL; write http://127.0.0.1:8080 or unix:/run/ipnd.sock")
        }
        return destination
    }
}

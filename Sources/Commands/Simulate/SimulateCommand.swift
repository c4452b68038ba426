import ArgumentParser
import Console
import Glibc
import HTTP
import HTTPServer
import Platform
import RawClient
import ServerConfiguration
import Simulator
import SimulatorServer

/// `ipnd simulate`
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Act as the providers: hold payments, send notifications, answer inquiries.",
        discussion: """
            Answers inquiries about its orders as each provider does. Orders come from `ipnd send \
            --simulator`, or with --count from the simulator itself, whose notifications are \
            lost, late, repeated and out of order as configured. Prints `ready ADDRESS` once it \
            listens, and the counts when everything is sent (in a pipe as JSON). Answers until it \
            is interrupted. GET /simulate returns the counts, GET /simulate/payments the actual \
            state of each order, as JSON.

            Example: ipnd simulate --config sandbox/ipnd.yaml --count 20 --loss 0.3
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(
        help: """
            Address to answer inquiries on; with port 0 the kernel chooses (default: the \
            configuration's address for inquiries, if it is one of this machine, otherwise \
            \(SandboxFolder.simulator)).
            """)
    var listen: String?
    @Option(
        help: "An endpoint whose provider is simulated (repeatable; default: all with `inquiry:`).",
        completion: .endpoints)
    var endpoint: [String] = []
    @OptionGroup(title: "What to simulate") var simulation: SimulationOptions
    @OptionGroup(title: "Faults") var faults: FaultOptions
    @OptionGroup var live: LiveOption
    @OptionGroup var display: TerminalOptions

    func run() async throws {
        TerminationSignal.install()
        let configuration = try file.load()
        guard let address = listen.map({ SocketAddress($0) }) ?? asked(configuration) else {
            throw ValidationError(
                "--listen: “\(listen ?? "")” is not an address such as 127.0.0.1:8090")
        }
        let tally = SimulationCounters()
        let log = PaymentLog()
        let clock = SystemClock()
        let settings = simulation.settings(clock)
        // Without a count it sends nothing, and only answers inquiries.
        if settings.count > 0 { try live.check(configuration, "simulate") }
        let endpoints: [SimulatedEndpoint]
        let player: SimulationPlayer
        do throws(SimulationError) {
            endpoints = try simulated(configuration)
            if settings.count > 0 { for one in endpoints { live.warn(one.sender, "simulate") } }
            player = try simulation.player(
                settings, configuration, endpoints, log: log, tally: tally,
                clock: clock)
        } catch {
            StandardError.print("ipnd simulate: \(error)")
            throw ExitCode(error.isConfiguration ? EX_CONFIG : EX_USAGE)
        }
        let provider = FakeProvider(
            endpoints, log: log, tally: tally, faults: faults.faults,
            speed: settings.speed, seed: settings.seed, clock: clock)
        let server: HTTPServer
        do throws(HTTPServer.ListenError) {
            server = try HTTPServer(
                ServerSettings(listeners: [ListenerSettings(address: address)], limits: Limits()),
                handler: provider)
        } catch {
            StandardError.print("ipnd: cannot listen on \(error.address): \(error.error)")
            throw ExitCode(EX_OSERR)
        }
        StandardOutput.print("ready \(server.addresses[0])")
        if settings.count > 0 { StandardError.print("seed \(settings.seed)") }
        let terminal = display.terminal
        let thread = PlatformThread(name: "simulate") {
            player.run()
            if settings.count > 0 { Self.show(provider.summary, on: terminal) }
        }
        await TerminationSignal.wait()
        player.stop()
        thread.join()
        await server.drain()
    }

    /// Prints a table on a terminal, and in a pipe one line of JSON, as `GET /simulate` returns it.
    private static func show(_ report: NamedValues, on terminal: Terminal) {
        guard terminal.width != nil else {
            StandardOutput.print(report.jsonText)
            return
        }
        var table = TextTable([("count", .right), ("of", .word), ("detail", .left)])
        for (name, value) in report.members {
            switch value {
            case .integer(let count): table.add(["\(count)", Self.words(name), ""])
            case .counts(let counts):
                let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
                let sum = counts.reduce(0) { $0 + $1.value }
                table.add(["\(sum)", Self.words(name), parts.joined(separator: ", ")])
            default: continue
            }
        }
        table.print(on: terminal)
    }

    /// `given up` for `givenUp`.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { words, character in
            words += character.isUppercase ? " \(character.lowercased())" : "\(character)"
        }
    }

    /// The address that `ipnd serve` sends inquiries to, if it is one address of this machine.
    private func asked(_ configuration: Configuration) -> SocketAddress {
        let places = Set(
            configuration.endpoints
                .filter { endpoint.isEmpty || endpoint.contains($0.name) }
                .compactMap { $0.inquiry?.url }
                .compactMap { url -> SocketAddress? in
                    guard !url.usesTLS, let address = url.address else { return nil }
                    return .ip(address, port: url.port)
                })
        guard places.count == 1, let place = places.first else {
            return SandboxFolder.simulator
        }
        return place
    }

    private func simulated(
        _ configuration: Configuration
    ) throws(SimulationError) -> [SimulatedEndpoint] {
        var names = endpoint
        if names.isEmpty {
            names = configuration.endpoints.filter { $0.inquiry != nil }.map(\.name)
        }
        guard !names.isEmpty else {
            throw .noDestination(
                "no endpoint of this configuration has an `inquiry:`; name one with --endpoint")
        }
        var endpoints: [SimulatedEndpoint] = []
        for name in names {
            endpoints.append(try SimulatedEndpoint(configuration, endpoint: name))
        }
        return endpoints
    }
}

/// Faults to inject into the answers to inquiries.
struct FaultOptions: ParsableArguments {
    @Option(help: "Share of the inquiries that a gateway answers with 502 and a page.")
    var outages = 0.0
    @Option(help: "Share of the signed answers that are changed after signing.")
    var forgeries = 0.0

    func validate() throws {
        for (name, share) in [("outages", outages), ("forgeries", forgeries)] {
            guard (0...1).contains(share) else {
                throw ValidationError("--\(name) must be between 0 and 1")
            }
        }
    }

    var faults: FakeProvider.Faults {
        var faults = FakeProvider.Faults()
        faults.outages = outages
        faults.forgeries = forgeries
        return faults
    }
}

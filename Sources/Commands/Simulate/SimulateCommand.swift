import ArgumentParser
import Configuration
import Glibc
import HTTP
import HTTPServer
import JSON
import Platform
import RawClient
import Simulator
import SimulatorServer

/// `ipnd simulate`
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Act as the providers: hold payments, send notifications, answer inquiries.",
        discussion: """
            Answers inquiries about every order that it knows, as each provider does. Knows what \
            `ipnd send --simulator` tells it, and with --count plays orders itself: notifications \
            are lost, late, repeated and out of order as you say. Prints `ready ADDRESS` once it \
            listens, what it has sent when everything is told (in a pipe as JSON), and answers \
            until it is interrupted. GET /simulate tells the counts, GET /simulate/payments the \
            truth about each order, as JSON.
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(
        help: """
            Where inquiries are answered; port 0 lets the kernel choose (default: where the \
            configuration asks, if that is one address of this machine, else \
            \(SandboxFolder.simulator)).
            """)
    var listen: String?
    @Option(
        help: "An endpoint whose provider is played (repeatable; default: all with `inquiry:`).",
        completion: .endpoints)
    var endpoint: [String] = []
    @OptionGroup(title: "What to play") var world: WorldOptions
    @OptionGroup(title: "How inquiries go wrong") var mischief: MischiefOptions
    @OptionGroup var display: TerminalOptions

    func run() async throws {
        TerminationSignal.install()
        let configuration = try file.load()
        guard let address = listen.map({ SocketAddress($0) }) ?? asked(configuration) else {
            throw ValidationError(
                "--listen: “\(listen ?? "")” is not an address such as 127.0.0.1:8090")
        }
        let tally = WorldTally()
        let book = ProviderBook()
        let clock = SystemClock()
        let settings = world.settings(clock)
        let endpoints: [PlayedEndpoint]
        let play: WorldRun
        do throws(SimulationError) {
            endpoints = try played(configuration)
            play = try world.run(
                settings, configuration, endpoints, book: book, tally: tally,
                clock: clock)
        } catch {
            StandardError.print("ipnd simulate: \(error)")
            throw ExitCode(error.isConfiguration ? EX_CONFIG : EX_USAGE)
        }
        let desk = ProviderDesk(
            endpoints, book: book, tally: tally, mischief: mischief.mischief,
            speed: settings.speed, seed: settings.seed, clock: clock)
        let server: HTTPServer
        do throws(HTTPServer.ListenError) {
            server = try HTTPServer(
                ServerSettings(listeners: [ListenerSettings(address: address)], limits: Limits()),
                handler: desk)
        } catch {
            StandardError.print("ipnd: cannot listen on \(error.address): \(error.error)")
            throw ExitCode(EX_OSERR)
        }
        StandardOutput.print("ready \(server.addresses[0])")
        if settings.count > 0 { StandardError.print("seed \(settings.seed)") }
        let terminal = display.terminal
        let thread = PlatformThread(name: "simulate") {
            play.run()
            if settings.count > 0 { Self.report(desk, on: terminal) }
        }
        await TerminationSignal.wait()
        play.stop()
        thread.join()
        await server.drain()
    }

    /// A table on a terminal; in a pipe one line of JSON, as `GET /simulate` gives it.
    private static func report(_ desk: ProviderDesk, on terminal: Terminal) {
        guard terminal.width != nil, let root = try? JSONDocument(parsing: desk.summary).root else {
            StandardOutput.print(String(decoding: desk.summary, as: UTF8.self))
            return
        }
        var table = TextTable([("count", .right), ("of", .word), ("detail", .left)])
        for (name, value) in root.members where name != "over" {
            let parts = value.members.map { "\($0.value.int64 ?? 0) × \($0.key)" }
            let sum = value.members.reduce(0) { $0 + ($1.value.int64 ?? 0) }
            table.add([
                "\(value.int64 ?? sum)", Self.words(name), parts.joined(separator: ", "),
            ])
        }
        table.print(on: terminal)
    }

    /// `given up` for `givenUp`.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { words, character in
            words += character.isUppercase ? " \(character.lowercased())" : "\(character)"
        }
    }

    /// Where `ipnd serve` will ask, where that is one place on this machine.
    private func asked(_ configuration: Configuration) -> SocketAddress {
        let places = Set(
            configuration.endpoints
                .filter { endpoint.isEmpty || endpoint.contains($0.name) }
                .compactMap { $0.inquiry?.url }
                .compactMap { url -> SocketAddress? in
                    guard !url.usesTLS, let address = url.address else { return nil }
                    return .ip(address, port: url.port)
                })
        // Plain HTTP is for this machine only.
        guard places.count == 1, let place = places.first else {
            return SandboxFolder.simulator
        }
        return place
    }

    private func played(
        _ configuration: Configuration
    ) throws(SimulationError) -> [PlayedEndpoint] {
        var names = endpoint
        if names.isEmpty {
            names = configuration.endpoints.filter { $0.inquiry != nil }.map(\.name)
        }
        guard !names.isEmpty else {
            throw .noDestination(
                "no endpoint of this configuration has an `inquiry:`; name one with --endpoint")
        }
        var endpoints: [PlayedEndpoint] = []
        for name in names {
            endpoints.append(try PlayedEndpoint(configuration, endpoint: name))
        }
        return endpoints
    }
}

/// How inquiries go wrong on purpose.
struct MischiefOptions: ParsableArguments {
    @Option(help: "Share of the inquiries that a gateway answers with 502 and a page.")
    var outages = 0.0
    @Option(help: "Share of the signed answers that are changed behind the signature.")
    var forgeries = 0.0

    func validate() throws {
        for (name, share) in [("outages", outages), ("forgeries", forgeries)] {
            guard (0...1).contains(share) else {
                throw ValidationError("--\(name) must be between 0 and 1")
            }
        }
    }

    var mischief: ProviderDesk.Mischief {
        var mischief = ProviderDesk.Mischief()
        mischief.outages = outages
        mischief.forgeries = forgeries
        return mischief
    }
}

import ArgumentParser
import Bytes
import Commands
import Glibc
import Payments
import Platform
import Providers
import ServerConfiguration

/// `ipnd-bench load`: writes signed requests for the load generator wrk, which `scripts/bench`
/// sends with `scripts/lab/bench/load.lua`.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Write signed requests for wrk.")

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var spread: SpreadOptions
    @Option(help: "The endpoint to sign for.") var endpoint: String
    @Option(help: "Number of different notifications.") var count = 1000
    @Option(help: "Prefix of the references.") var prefix = "LOAD"
    @Option(help: "The file to write.") var output: String

    func run() throws {
        let load = try SignedLoad(
            file.load(), endpoint: endpoint, prefix: prefix, spread: spread,
            clock: SystemClock())
        let descriptor = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ValidationError("cannot write \(output)") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        for number in 0..<count {
            let request = Self.wire(try load.delivery(number))
            // Eight digits of length before each request, which may contain any byte.
            let digits = String(request.count)
            bytes += Array((String(repeating: "0", count: 8 - digits.count) + digits).utf8)
            bytes += request
            if bytes.count > 1 << 20 || number == count - 1 {
                guard write(descriptor, bytes, bytes.count) == bytes.count else {
                    throw ValidationError("cannot write \(output)")
                }
                bytes.removeAll(keepingCapacity: true)
            }
        }
    }

    private static func wire(_ delivery: OutboundRequest) -> [UInt8] {
        var bytes = Array("\(delivery.method) \(delivery.target) HTTP/1.1\r\n".utf8)
        for header in delivery.headers {
            bytes += header.name
            bytes += Array(": ".utf8)
            bytes += header.value
            bytes += Array("\r\n".utf8)
        }
        return bytes + Array("\r\n".utf8) + delivery.body
    }
}

/// Signed notifications of one endpoint for measurements, each of a new order or spread over a
/// few.
struct SignedLoad: Sendable {
    let endpoint: EndpointConfiguration
    private let sender: any Sender
    private let prefix: String
    private let spread: SpreadOptions
    private let money: Money
    private let occurred: Timestamp
    let clock: any Clock

    init(
        _ configuration: Configuration, endpoint name: String, prefix: String,
        spread: SpreadOptions, clock: any Clock
    ) throws {
        guard let endpoint = configuration.endpoint(named: name),
            let currency = Currency("MYR")
        else { throw ValidationError("no endpoint is named \(name)") }
        self.endpoint = endpoint
        self.prefix = prefix
        self.spread = spread
        self.clock = clock
        sender = try endpoint.descriptor.makeSender(
            SandboxKeys.senderSettings(for: endpoint, folder: configuration.folder))
        money = Money(minor: 4200, currency: currency)
        occurred = Timestamp(microseconds: clock.wallMicroseconds / 1_000_000 * 1_000_000)
    }

    /// The notification of this number, with the HTTP headers around the signed request.
    func delivery(_ number: Int) throws -> OutboundRequest {
        let order = spread.orders.map { number % $0 } ?? number
        let event = SampleEvent(
            type: spread.refunds ? .refunded : .paid, reference: "\(prefix)-\(order)",
            transaction: spread.orders == nil || spread.refunds ? nil : "\(prefix)-T\(number)",
            actionID: spread.refunds ? "\(prefix)-F\(number)" : nil, money: money,
            occurred: occurred)
        let signed = try sender.sign(event, path: endpoint.publicPath)
        let headers =
            [Header("Host", "localhost")]
            + signed.headers
            + [Header("Content-Length", "\(signed.body.count)")]
        return OutboundRequest(
            method: signed.method, target: signed.target, headers: headers, body: signed.body)
    }
}

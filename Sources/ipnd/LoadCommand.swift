import ArgumentParser
import Configuration
import Glibc
import Providers

/// Writes signed requests for the load generator wrk: what `scripts/bench` sends with
/// `scripts/lab/bench/load.lua`. Not for use: hidden from the help.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Writes signed requests for wrk.", shouldDisplay: false)

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var spread: SpreadOptions
    @Option(help: "The endpoint to sign for.") var endpoint: String
    @Option(help: "How many different notifications.") var count = 1000
    @Option(help: "What the references begin with.") var prefix = "LOAD"
    @Option(help: "The file of requests.") var output: String

    func run() throws {
        let load = try SignedLoad(file.load(), endpoint: endpoint, prefix: prefix, spread: spread)
        let descriptor = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ValidationError("cannot write \(output)") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        for number in 0..<count {
            let request = Self.wire(try load.delivery(number))
            // Eight digits of length before each request, so that any byte may stand in it.
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

    private static func wire(_ delivery: OutboundDelivery) -> [UInt8] {
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

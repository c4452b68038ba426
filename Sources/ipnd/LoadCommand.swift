import ArgumentParser
import Configuration
import Glibc
import Payments
import Platform
import Providers

/// Writes signed requests for the load generator wrk: what `scripts/bench` sends. Not for use:
/// hidden from the help.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Writes signed requests for wrk.", shouldDisplay: false)

    @OptionGroup var file: ConfigurationOption
    @Option(help: "The endpoint to sign for.") var endpoint: String
    @Option(help: "How many different notifications.") var count = 1000
    @Option(help: "What the references begin with.") var prefix = "LOAD"
    @Option(help: "The file of requests; the wrk script gets the same name with .lua.")
    var output: String

    func run() throws {
        let configuration = try file.load()
        guard let endpoint = configuration.endpoint(named: endpoint),
            let descriptor = ProviderRegistry.all[endpoint.system], let currency = Currency("MYR")
        else { throw ValidationError("no endpoint is named \(endpoint)") }
        let sender = try descriptor.makeSender(
            SandboxKeys.senderSettings(for: endpoint, folder: configuration.folder))
        let descriptorOut = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptorOut >= 0 else { throw ValidationError("cannot write \(output)") }
        defer { close(descriptorOut) }
        var bytes: [UInt8] = []
        let now = Timestamp(microseconds: WallClock.microseconds() / 1_000_000 * 1_000_000)
        for number in 0..<count {
            let event = SampleEvent(
                happening: .paid, reference: "\(prefix)-\(number)",
                money: Money(minor: 4200, currency: currency), occurred: now)
            let delivery = try sender.sign(event, path: endpoint.publicPath)
            let request = Self.wire(delivery)
            // Eight digits of length before each request, so that any byte may stand in it.
            let digits = String(request.count)
            bytes += Array((String(repeating: "0", count: 8 - digits.count) + digits).utf8)
            bytes += request
            if bytes.count > 1 << 20 || number == count - 1 {
                guard write(descriptorOut, bytes, bytes.count) == bytes.count else {
                    throw ValidationError("cannot write \(output)")
                }
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try writeScript()
    }

    private static func wire(_ delivery: OutboundDelivery) -> [UInt8] {
        var bytes = Array(
            "\(delivery.method) \(delivery.target) HTTP/1.1\r\nHost: localhost\r\n".utf8)
        for header in delivery.headers {
            bytes += header.name
            bytes += Array(": ".utf8)
            bytes += header.value
            bytes += Array("\r\n".utf8)
        }
        bytes += Array("Content-Length: \(delivery.body.count)\r\n\r\n".utf8)
        return bytes + delivery.body
    }

    private func writeScript() throws {
        let script = Array(Self.script(requests: output).utf8)
        let descriptor = open("\(output).lua", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, write(descriptor, script, script.count) == script.count else {
            throw ValidationError("cannot write \(output).lua")
        }
    }

    /// A wrk script with one thread: it sends the requests in order, counts how often it had to
    /// begin again (then duplicates were measured), and every answer that is not 200.
    private static func script(requests: String) -> String {
        """
        local requests, place = {}, 0
        function setup(thread) worker = thread end
        function init(args)
          requests, place = {}, 0
          passes, bad = 0, 0  -- global: `done` reads them from outside the thread
          local file = io.open("\(requests)", "rb")
          while true do
            local length = file:read(8)
            if not length then break end
            requests[#requests + 1] = file:read(tonumber(length))
          end
          file:close()
        end
        function request()
          place = place % #requests + 1
          if place == 1 then passes = passes + 1 end
          return requests[place]
        end
        function response(status) if status ~= 200 then bad = bad + 1 end end
        function done(summary, latency)
          local errors = summary.errors
          io.write(string.format(
            "requests=%d persecond=%.0f p50=%.2f p99=%.2f bad=%d passes=%d errors=%d\\n",
            summary.requests, summary.requests / (summary.duration / 1e6),
            latency:percentile(50) / 1000, latency:percentile(99) / 1000,
            worker:get("bad"), worker:get("passes"),
            errors.connect + errors.read + errors.write + errors.timeout))
        end
        """
    }
}

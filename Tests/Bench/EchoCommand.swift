import ArgumentParser
import Commands
import Console
import HTTP
import HTTPServer
import Platform
import TLS

/// `ipnd-bench echo`: answers every request with its own body. The request corpus and the load
/// tests of the HTTP server run against it.
struct EchoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "echo", abstract: "Echo request bodies, to test the HTTP server.")

    @Option(help: "Address to listen on.") var listen = "127.0.0.1:0"
    @Option(help: "Certificate chain (PEM) for TLS.") var certificate: String?
    @Option(help: "Private key (PEM) for TLS.") var key: String?
    @Option(help: "Event loops.") var loops = 1
    @Option(help: "A limit, as name=value.") var limit: [String] = []

    func run() async throws {
        TerminationSignal.install()
        DescriptorLimit.raise()
        guard let address = SocketAddress(listen) else { throw ValidationError("bad address") }
        var tls: TLSContext?
        if let certificate, let key {
            tls = try TLSContext(
                certificateFile: certificate, keyFile: key, clientCAFile: nil, additional: [])
        }
        let server = try HTTPServer(
            ServerSettings(
                listeners: [ListenerSettings(address: address, tls: tls)], limits: try limits(),
                loops: loops),
            handler: Echo())
        StandardOutput.print("ready \(server.addresses[0])")
        await TerminationSignal.wait()
        await server.drain()
    }

    private func limits() throws -> Limits {
        var limits = Limits()
        for setting in limit {
            let parts = setting.split(separator: "=")
            guard parts.count == 2, let name = Limits.named(String(parts[0])),
                let value = Int(parts[1])
            else { throw ValidationError("bad limit \(setting)") }
            limits[keyPath: name.path] = value
        }
        return limits
    }

    private struct Echo: RequestHandler {
        func respond(to request: Request, in context: RequestContext) async -> Response {
            Response(
                status: 200, fields: [("Content-Type", "application/octet-stream")],
                body: request.body)
        }

        func refused(_ reason: String, status: Int?, in context: RequestContext) {}
    }
}

import ArgumentParser
import Console
import Glibc
import HTTP
import HTTPServer
import Platform

/// `ipnd receive`
struct ReceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive", abstract: "Receive webhooks, verify and print them.",
        discussion: """
            A receiver to try deliveries with, on any path. Verifies each signature (a wrong one \
            is answered 401), prints one line for each request, and fails on demand. Prints \
            `ready ADDRESS` once it listens, and runs until it is interrupted.

            Example: ipnd receive --secret-file sandbox/secrets/shop --fail-rate 0.3
            """)

    @Option(help: "Address to listen on.") var listen = "127.0.0.1:3000"
    @Option(help: "A secret to verify with: whsec_…, or whpk_… (repeatable).")
    var secret: [String] = []
    @Option(
        help: "A file with such a secret, such as the destination's (repeatable).",
        completion: .file())
    var secretFile: [String] = []
    @Option(help: "Fail this share of the requests, from 0 to 1.") var failRate: Double?
    @Option(help: "The status of a failure, or of every answer without --fail-rate.")
    var status: Int?
    @Option(help: "Seconds to wait before each answer.") var delay = 0.0
    @Option(help: "A Retry-After for failures, in seconds.") var retryAfter: Int?
    @Flag(help: "Print JSON Lines.") var json = false

    private static let delayMax = 3600.0

    func validate() throws {
        guard !secret.isEmpty || !secretFile.isEmpty else {
            throw ValidationError("give --secret or --secret-file")
        }
        if let failRate, !(0...1).contains(failRate) {
            throw ValidationError("--fail-rate must be between 0 and 1")
        }
        if let status, !(200...599).contains(status) {
            throw ValidationError("--status must be between 200 and 599")
        }
        guard (0...Self.delayMax).contains(delay) else {
            throw ValidationError("--delay must be between 0 and \(Int(Self.delayMax))")
        }
    }

    func run() async throws {
        TerminationSignal.install()
        guard let address = SocketAddress(listen) else {
            throw ValidationError("--listen: “\(listen)” is not an address such as 127.0.0.1:3000")
        }
        let secrets = secret.map { Array($0.utf8) } + (try secretFile.map(WebhookSecret.read))
        var manner = WebhookReceiver.Manner()
        manner.failRate = failRate ?? (status == nil ? 0 : 1)
        manner.failStatus = status ?? 500
        manner.delaySeconds = delay
        manner.retryAfterSeconds = retryAfter
        let receiver = WebhookReceiver(
            verifier: try WebhookSecret.verifier(secrets), manner: manner, isJSON: json,
            clock: SystemClock())
        let server: HTTPServer
        do throws(HTTPServer.ListenError) {
            server = try HTTPServer(
                ServerSettings(listeners: [ListenerSettings(address: address)], limits: Limits()),
                handler: receiver)
        } catch {
            StandardError.print("ipnd: cannot listen on \(error.address): \(error.error)")
            throw ExitCode(EX_OSERR)
        }
        StandardOutput.print("ready \(server.addresses[0])")
        await TerminationSignal.wait()
        await server.drain()
    }
}

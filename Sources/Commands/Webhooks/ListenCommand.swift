import AdminAPI
import ArgumentParser
import Console
import Cryptography
import Delivery
import Glibc
import JSON
import Platform
import Providers
import Records
import WebClient

// `Payments.Flag` would hide ArgumentParser's.
import enum Payments.OrderStatus
import struct Payments.Timestamp

/// `ipnd listen --forward http://localhost:3000/hook`
struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Forward a server's events to your own machine, signed.",
        discussion: """
            For the development of webhook receivers. Follows the events of the server that \
            --config describes, and sends each as a delivery would, signed with your secret or \
            with a new one, which is printed first. Each event is sent once, whatever the answer; \
            no state is kept. Continues after a restart of the server.

            Exit status 69: server unreachable.

            Example: ipnd listen --forward http://127.0.0.1:3000/webhooks
            """)

    @OptionGroup var server: ServerOptions
    @Option(help: "Where to send, e.g. http://localhost:3000/hook.", transform: Self.url)
    var forward: WebURL
    @Option(help: "Start after this sequence number (default: only new events).")
    var after: UInt64?
    @Option(
        help: "A file with the secret to sign with, whsec_… or whsk_… (default: a new one).",
        completion: .file())
    var secretFile: String?
    @Option(help: "Only events of this endpoint.", completion: .endpoints) var endpoint: String?
    @Option(
        help: "Only events after which the order has this status (comma-separated list).",
        transform: { try OrdersCommand.statuses($0) })
    var status: [OrderStatus]?
    @Option(help: "End after this many events (default: never).") var limit: Int?
    @Flag(help: "Print JSON Lines.") var json = false

    private static let name = "listen"
    private static let pageMax = 100

    private static func url(_ text: String) throws -> WebURL {
        do throws(WebURL.Mistake) { return try WebURL(text) } catch {
            throw ValidationError("it \(error.rawValue)")
        }
    }

    func validate() throws {
        guard limit ?? 1 > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let secret = try secretFile.map { try WebhookSecret.read($0) } ?? WebhookSecret.fresh()
        let signer = try WebhookSecret.signer(secret)
        let admin = try AdminConnection(server)
        if let endpoint,
            let complaint = KnownNames.complaint(
                ofEndpoint: endpoint, inFile: server.file.config)
        {
            StandardError.print("ipnd listen: --endpoint: \(complaint)")
            throw ExitCode(EX_USAGE)
        }
        admin.keepsTrying = true
        // The address is the developer's own and needs no proxy.
        let target = WebhookTarget(url: forward, signer: signer, route: WebRoute(proxy: .direct))
        let client = WebClient()
        defer { client.close() }
        let transport = WebhookTransport(
            client, [Self.name: target], clock: SystemClock())
        let start = try after ?? Self.newest(admin)
        if !json {
            // A secret from a file is not printed.
            StandardOutput.print(
                secretFile.map { "signing with the secret in \($0)" }
                    ?? "signing secret: \(String(decoding: secret, as: UTF8.self))")
            StandardOutput.print("forwarding to \(forward), from sequence \(start + 1) on")
        }
        try await follow(admin, transport, after: start)
    }

    /// The sequence of the last record.
    private static func newest(_ admin: AdminConnection) throws -> UInt64 {
        let answer: OrderListAnswer? = try admin.get("/orders?limit=1")
        return answer?.recorded ?? 0
    }

    private func follow(
        _ admin: AdminConnection, _ transport: WebhookTransport, after start: UInt64
    ) async throws {
        var after = start
        var rest = limit ?? .max
        // With the store's identity the server refuses to continue after it was replaced.
        var store = ""
        while rest > 0 {
            let page: EventPageAnswer? = try admin.get(
                "/events?after=\(after)&limit=\(Self.pageMax)&wait=55"
                    + (store.isEmpty ? "" : "&store=\(store)"))
            store = page?.store ?? ""
            after = max(after, page?.next ?? 0)
            for event in page?.events ?? [] {
                guard rest > 0, let message = message(event, store) else { continue }
                let outcome = await transport.attempt(message)
                guard show(message, outcome) else { return }
                rest -= 1
            }
        }
    }

    /// The message of an event; nil if it concerns no order or agreement, or is filtered out.
    private func message(_ event: JSONValue, _ store: String) -> DeliveryMessage? {
        let filter = DestinationFilter(
            endpoints: endpoint.map { [$0] },
            statuses: status.map { Set($0.map(\.rawValue)) })
        guard let event = try? event.rawBytes.withUnsafeBytes({ try FeedEvent($0) }),
            event.sequence > 0, filter.admits(event)
        else { return nil }
        return DeliveryMessage(event, store: store, destination: Self.name, attempt: 1)
    }

    /// Prints an attempt. Returns false when the reader has closed the pipe.
    private func show(_ message: DeliveryMessage, _ outcome: AttemptOutcome) -> Bool {
        guard json else {
            let answer = outcome.status.map(String.init) ?? "no answer"
            let words = [
                String(message.sequence), message.type, message.endpoint,
                TextTable.printable(message.reference), "->", answer,
                "in \(outcome.latencyMicroseconds / 1000) ms",
            ]
            let reason = outcome.failure.map { " (\($0.rawValue): \(outcome.detail))" } ?? ""
            return StandardOutput.write(
                Array((words.joined(separator: " ") + reason + "\n").utf8))
        }
        let line = JSONWriter.object { json in
            json.member("id", message.id)
            json.member("type", message.type)
            json.member("endpoint", message.endpoint)
            json.member("reference", message.reference)
            json.member("outcome", outcome.reason)
            json.member("detail", outcome.detail)
            json.member("sequence", message.sequence)
            json.member("milliseconds", outcome.latencyMicroseconds / 1000)
        }
        return StandardOutput.write(line + [UInt8(ascii: "\n")])
    }
}

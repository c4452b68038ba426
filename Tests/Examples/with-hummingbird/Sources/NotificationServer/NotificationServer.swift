import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import PaymentNotifications
import ServiceLifecycle

/// Receives the notifications of Antom and Stripe, and keeps their orders in SQLite.
///
/// ANTOM_CLIENT_ID is in Antom's dashboard, and ANTOM_KEY names a file with Antom's public key.
/// STRIPE_SECRET is the signing secret of the endpoint in Stripe's. PORT is the port; the database
/// is orders.db in the current folder.
@main struct NotificationServer {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        func setting(_ name: String) throws -> String {
            guard let value = environment[name] else { throw Failure("\(name) is not set") }
            return value
        }
        let key = try String(contentsOfFile: setting("ANTOM_KEY"), encoding: .utf8)
        let antom = try Antom(
            settings: .init(
                clientID: setting("ANTOM_CLIENT_ID"), keys: [.init(version: 1, text: key)]))
        let stripe = try RecipeProvider(
            .stripe, settings: .init(secrets: [setting("STRIPE_SECRET")], mode: .test))

        let logger = Logger(label: "receiver")
        let orders = try Orders(file: "orders.db")
        let router = Router()
        receive("antom", from: antom, orders, router, logger)
        receive("stripe", from: stripe, orders, router, logger)
        router.get("orders/:endpoint/:reference") { _, context in
            try await orders.description(
                context.parameters.require("endpoint"), context.parameters.require("reference"))
        }
        let application = Application(
            router: router,
            configuration: .init(
                address: .hostname("127.0.0.1", port: Int(environment["PORT"] ?? "") ?? 3000)),
            logger: logger)
        let group = ServiceGroup(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }

    static func receive(
        _ endpoint: String, from provider: any Provider, _ orders: Orders,
        _ router: Router<BasicRequestContext>, _ logger: Logger
    ) {
        @Sendable func note(_ outcome: String, _ detail: String, _ level: Logger.Level = .info) {
            logger.log(level: level, "\(endpoint) \(outcome): \(detail)")
            Counter(
                label: "notifications", dimensions: [("endpoint", endpoint), ("outcome", outcome)]
            )
            .increment()
        }
        router.post("ipn/\(endpoint)") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            let signed = SignedRequest(
                path: request.uri.string,
                headers: request.headers.map { ($0.name.rawName, $0.value) },
                body: body.readableBytesView,
                received: Timestamp(secondsSince1970: Date().timeIntervalSince1970))
            do {
                for notification in try await provider.receive(signed) {
                    note(try await orders.record(notification, of: endpoint), notification.id)
                }
                return Response(provider.answer(.accepted))
            } catch let refusal as Refusal {
                note(refusal.reason, refusal.detail, .warning)
                return Response(provider.answer(.refused(refusal)))
            } catch {
                // It is not kept, so the provider has to send it again.
                note("unavailable", "\(error)", .error)
                return Response(provider.answer(.unavailable))
            }
        }
    }
}

extension Response {
    init(_ answer: Answer) {
        var headers = HTTPFields()
        headers[.contentType] = answer.contentType
        self.init(
            status: .init(code: answer.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

import Foundation
import HTTPTypes
import Hummingbird

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A complete shop behind ipnd: Hummingbird and SQLite.
///
/// It has no sign-in, so it listens on the shop's own machine only. IPND_ADMIN is the address of
/// the admin listener, IPND_TOKEN_FILE the file with its token, SHOP_SECRET the secret of the
/// destination whose `url` ends with /payments, and PORT the port. The database is shop.db in the
/// current folder.
@main struct Shop {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let secret = environment["SHOP_SECRET"], secret.wholeMatch(of: /whsec_.{32,}/) != nil
        else { throw Failure("SHOP_SECRET is not the destination's secret") }
        let application = Application(
            router: try router(
                Orders(file: "shop.db"), Ipnd(environment), Genuine(secrets: [secret])),
            configuration: .init(
                address: .hostname("127.0.0.1", port: Int(environment["PORT"] ?? "") ?? 3000)))
        try await application.runService()
    }

    struct Sale: Decodable {
        var endpoint, reference: String
        var amount: Money
    }

    static func router(
        _ orders: Orders, _ ipnd: Ipnd, _ isGenuine: Genuine
    ) -> Router<BasicRequestContext> {
        let router = Router()
        // The order is stored before ipnd expects it: a payment never meets an unknown order. A
        // request that failed in between is sent again.
        router.post("orders") { request, context in
            let sale = try await request.decode(as: Sale.self, context: context)
            let total = "\(sale.amount.minor) \(sale.amount.currency)"
            guard try await orders.add(sale.endpoint, sale.reference, total: total) else {
                throw HTTPError(.conflict, message: "the order has another total")
            }
            try await ipnd.expect(sale.endpoint, sale.reference, sale.amount)
            return HTTPResponse.Status.created
        }
        // The answer comes after the transaction: ipnd sends again what was not answered with 2xx.
        router.post("payments") { request, _ in
            let body = Data(try await request.body.collect(upTo: 1 << 20).readableBytesView)
            let headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
            guard isGenuine(body, headers: headers),
                let id = headers.first(where: { $0.name.lowercased() == "webhook-id" })?.value
            else { throw HTTPError(.unauthorized) }
            struct Message: Decodable { var data: Event }
            let event = try JSONDecoder().decode(Message.self, from: body).data
            try await orders.apply(id, event, decide(event, orders.total))
            return HTTPResponse.Status.noContent
        }
        router.get("decisions") { _, _ in try json(await orders.decisions()) }
        // Asks again before each parcel: the order may have been refunded a moment ago.
        router.post("ship") { _, _ in
            var shipped: [String] = []
            for decision in try await orders.decisions()
            where decision.action == "ship" && !decision.shipped {
                guard try await ipnd.status(decision.endpoint, decision.name) == "paid",
                    try await orders.mark(decision)
                else { continue }
                shipped.append("\(decision.endpoint)/\(decision.name)")
            }
            return try json(shipped)
        }
        return router
    }

    static func json(_ value: some Encodable) throws -> Response {
        let bytes = ByteBuffer(bytes: try JSONEncoder().encode(value))
        return Response(
            status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: bytes)
        )
    }
}

struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

struct Money: Codable, Sendable {
    var minor: Int
    var currency: String
}

/// The admin API of ipnd.
struct Ipnd: Sendable {
    private let address, tokenFile: String

    init(_ environment: [String: String]) {
        address = environment["IPND_ADMIN"] ?? "http://127.0.0.1:9090"
        tokenFile = environment["IPND_TOKEN_FILE"] ?? "/etc/ipnd/secrets/admin-token"
    }

    func expect(_ endpoint: String, _ reference: String, _ amount: Money) async throws {
        struct Expectation: Encodable { var amount: Money }
        _ = try await call(
            "POST", endpoint, reference, JSONEncoder().encode(Expectation(amount: amount)))
    }

    func status(_ endpoint: String, _ name: String) async throws -> String {
        try JSONDecoder().decode(Order.self, from: await call("GET", endpoint, name)).status
    }

    private func call(
        _ method: String, _ endpoint: String, _ reference: String, _ body: Data? = nil
    ) async throws -> Data {
        var url = URLComponents(string: address)!
        url.path = "/orders/\(endpoint)/-"
        // `queryItems` would leave a plus sign as it is, which means a space.
        let value = reference.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        url.percentEncodedQueryItems = [URLQueryItem(name: "reference", value: value)]
        var request = URLRequest(url: url.url!, timeoutInterval: 60)
        request.httpMethod = method
        request.httpBody = body
        let token = try String(contentsOfFile: tokenFile, encoding: .utf8).filter { !$0.isNewline }
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, answer) = try await URLSession.shared.data(for: request)
        let status = (answer as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            throw HTTPError(
                .badGateway, message: "ipnd: \(status) \(String(decoding: data, as: UTF8.self))")
        }
        return data
    }
}

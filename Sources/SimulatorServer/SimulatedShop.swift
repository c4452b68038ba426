import Bytes
import JSON
import Payments
import Platform
import RawClient

/// The shop: registers an order with ipnd before its customer is sent to the provider
/// (`POST /orders/…`).
package struct SimulatedShop: Sendable {
    /// The admin listener.
    package let destination: Destination
    package let token: [UInt8]?

    package init(destination: Destination, token: [UInt8]?) {
        self.destination = destination
        self.token = token
    }
}

/// One connection of the shop, used by one thread at a time.
final class ShopConnection {
    enum Outcome {
        case registered
        /// The server refuses it permanently.
        case refused
        /// No answer, or a temporary refusal.
        case unreachable
    }

    private let shop: SimulatedShop
    private let clock: any Clock
    private let client: RawClient

    init(_ shop: SimulatedShop, _ clock: any Clock) {
        self.shop = shop
        self.clock = clock
        client = RawClient(shop.destination)
    }

    /// Registers an order that expires in `seconds`.
    func register(_ order: DrawnOrder, endpoint: String, seconds: Int) -> Outcome {
        let expires = Timestamp(
            microseconds: clock.wallMicroseconds + Int64(seconds) * 1_000_000)
        let body = JSONWriter.object(reserving: 128) { json in
            json.object("amount") {
                $0.member("minor", order.money.minor)
                $0.member("currency", order.money.currency.code)
            }
            json.member("expires", expires.rfc3339)
        }
        let path = [endpoint, order.reference]
            .map { PercentEncoding.encode(Array($0.utf8)) }.joined(separator: "/")
        var headers = [("Content-Type", Array("application/json".utf8))]
        if let token = shop.token {
            headers.append(("Authorization", Array("Bearer ".utf8) + token))
        }
        let request = RequestBytes.encode(
            method: "POST", target: Array("/orders/\(path)".utf8)[...],
            host: shop.destination.authority,
            headers: headers.map { (Array($0.0.utf8)[...], $0.1[...]) }, body: body)
        guard let response = try? client.exchange(request), response.status < 500 else {
            return .unreachable
        }
        // 409: an earlier attempt, whose answer was lost, registered it with another expiry.
        return [200, 201, 409].contains(response.status) ? .registered : .refused
    }
}

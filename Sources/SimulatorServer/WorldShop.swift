import Bytes
import JSON
import Payments
import Platform
import RawClient

/// The shop's part: it registers an order with ipnd before its customer is sent to the provider
/// (`POST /orders/…`).
package struct WorldShop: Sendable {
    /// The admin listener.
    package let destination: Destination
    package let token: [UInt8]?

    package init(destination: Destination, token: [UInt8]?) {
        self.destination = destination
        self.token = token
    }
}

/// One connection of the shop's. One thread uses it at a time.
final class WorldRegistrar {
    enum Outcome {
        case registered
        /// The server does not want it, for good.
        case refused
        /// Nobody answers, or not now.
        case unreachable
    }

    private let shop: WorldShop
    private let clock: any Clock
    private let client: RawClient

    init(_ shop: WorldShop, _ clock: any Clock) {
        self.shop = shop
        self.clock = clock
        client = RawClient(shop.destination)
    }

    /// - Parameter seconds: Until it expires.
    func register(_ order: DrawnOrder, endpoint: String, seconds: Int) -> Outcome {
        let expires = Timestamp(
            microseconds: clock.wallMicroseconds + Int64(seconds) * 1_000_000)
        var json = JSONWriter(reserving: 128)
        json.beginObject()
        json.key("amount")
        json.beginObject()
        json.member("minor", Int(order.money.minor))
        json.member("currency", order.money.currency.code)
        json.endObject()
        json.member("expires", expires.rfc3339)
        json.endObject()
        let path = [endpoint, order.reference]
            .map { PercentEncoding.encode(Array($0.utf8)) }.joined(separator: "/")
        var headers = [("Content-Type", Array("application/json".utf8))]
        if let token = shop.token {
            headers.append(("Authorization", Array("Bearer ".utf8) + token))
        }
        let request = RequestBytes.encode(
            method: "POST", target: Array("/orders/\(path)".utf8)[...],
            host: shop.destination.authority,
            headers: headers.map { (Array($0.0.utf8)[...], $0.1[...]) }, body: json.bytes)
        guard let response = try? client.exchange(request), response.status < 500 else {
            return .unreachable
        }
        // Registered before, by a try whose answer was lost: then with another expiry.
        return [200, 201, 409].contains(response.status) ? .registered : .refused
    }
}

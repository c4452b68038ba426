import Bytes
import Cryptography
import JSON
import Payments

/// The toy's side of a notification.
package struct ToySender: Sender {
    private let key: HMACKey
    private let shop: String

    /// - Throws: ``SettingsError`` without a secret or the shop's id.
    package init(settings: EndpointSettings) throws(SettingsError) {
        key = HMACKey(.sha256, try settings.senderSecret())
        guard let shop = settings[Toy.shop] else {
            throw Toy.shop.error("the shop's id is needed")
        }
        self.shop = shop
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        // The toy reports neither tries nor reversals.
        guard event.type != .tryFailed, event.type != .reversed else {
            throw .unsupported(event.type)
        }
        let id = SampleEvent.identifier(
            "toy", event.actionID, event.type.rawValue, String(event.number))
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("id", id)
            json.member("type", event.kind)
            json.member("status", event.status)
            json.member("order", event.reference)
            json.member("payment", event.transaction)
            json.member("action", event.actionID)
            json.member("amount", event.money.minor)
            json.member("currency", event.money.currency.code)
        }
        let signature = Toy.signature(json.bytes, shop: shop, key)
        return OutboundRequest(
            target: path,
            headers: [
                Header("content-type", "application/json"),
                Header("x-toy-signature", String(decoding: signature, as: UTF8.self)),
            ], body: json.bytes)
    }

    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        status == 200 ? .accepted : .sendsAgain("status \(status) is not 200")
    }

    package let publishedRetrySchedule: [Duration] = [.minutes(1), .hours(1)]
}

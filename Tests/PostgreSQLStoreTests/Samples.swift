import Bytes
import Payments
import Records
import Store

extension Submission {
    /// A payment of an order.
    static func sample(
        _ reference: String, id: String? = nil, endpoint: String = "shop", minor: Int64 = 4200,
        transaction: String? = nil, status: String = "paid", body: [UInt8] = Array("{}".utf8)
    ) -> Submission {
        var notification = Notification(
            id: id ?? "event-\(reference)", kind: "payment", status: status)
        notification.reference = reference
        notification.transaction = transaction
        notification.effect = .attempt(
            status == "paid" ? .paid : .failed,
            Money(minor: minor, currency: Currency("EUR")!))
        return Submission(
            endpoint: endpoint, provider: "hmac", key: "1", notification: notification,
            request: RecordedRequest(
                method: "POST", target: Array("/ipn".utf8)[...], headers: [], body: body),
            peer: "127.0.0.1", received: Timestamp(microseconds: 1_700_000_000_000_000))
    }
}

extension Registration {
    static func sample(_ reference: String, minor: Int64 = 4200) -> Registration {
        Registration(
            endpoint: "shop", provider: "hmac", reference: reference,
            expectation: Expectation(amount: Money(minor: minor, currency: Currency("EUR")!)),
            metadata: Array(#"{"cart":7}"#.utf8), peer: "",
            received: Timestamp(microseconds: 1_700_000_000_000_000))
    }
}

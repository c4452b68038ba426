import Bytes
import Payments
import Providers

extension SignedRequest {
    /// Creates a delivery from texts.
    init(
        path: String = "/ipn", query: String? = nil, headers: [(String, String)] = [],
        body: String, received seconds: Int64 = 0
    ) {
        self.init(
            path: Array(path.utf8)[...], query: query.map { Array($0.utf8)[...] },
            headers: headers.map { Header($0.0, $0.1) }, body: Array(body.utf8),
            received: Timestamp(microseconds: seconds * 1_000_000))
    }

    /// The delivery with another time of receipt, in seconds since 1970.
    func received(at seconds: Int64) -> SignedRequest {
        var changed = self
        changed.received = Timestamp(microseconds: seconds * 1_000_000)
        return changed
    }

    var bodyText: String {
        get { String(decoding: body, as: UTF8.self) }
        set { body = Array(newValue.utf8) }
    }

    /// The delivery with the header `name` set to `value`, or without it if `value` is nil.
    func with(header name: String, _ value: String?) -> SignedRequest {
        var changed = self
        changed.headers.removeAll { $0.isNamed(name) }
        if let value { changed.headers.append(Header(name, value)) }
        return changed
    }

    func value(_ name: String) -> String? {
        headers.first { $0.isNamed(name) }.map { String(decoding: $0.value, as: UTF8.self) }
    }
}

extension OutboundRequest {
    /// The delivery as received at the time of the sample events.
    var delivery: SignedRequest { delivery(received: SampleEvent.sample(.paid).occurred) }
}

extension Provider {
    /// The refusal of `delivery`; nil if it is accepted.
    func refusal(_ delivery: SignedRequest) -> Refusal? {
        do throws(Refusal) {
            _ = try verify(delivery)
            return nil
        } catch {
            return error
        }
    }

    /// Verifies and interprets a delivery.
    func receive(_ delivery: SignedRequest) throws(Refusal) -> Notification {
        interpret(try verify(delivery).evidence)
    }
}

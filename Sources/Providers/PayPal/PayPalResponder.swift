import Bytes
import Cryptography
import JSON
import Payments

/// PayPal's side of an inquiry: issues an access token, and answers with the resource of an id, as
/// in its latest notification.
package struct PayPalResponder: Responder {
    private let credentials: String
    /// Derived from the credentials, so that none has to be stored. It is valid for nine hours
    /// (seen), after which the same one is issued.
    private let token: String
    private static let tokenSeconds = 32_400

    /// - Throws: ``SettingsError`` without a client id and its secret.
    package init(settings: EndpointSettings) throws(SettingsError) {
        credentials = try PayPalAccess(settings: settings).credentials
        token = "A21-\(Hex.encode(SHA256.hash(Array(credentials.utf8))))"
    }

    package func serves(_ request: InquiryRequest) -> Bool {
        request.path == PayPalAccess.path || request.path == PayPalLister.path
            || PayPalInquirer.asked(request) != nil
    }

    /// No event that was not notified: a payment is only found by the id in a notification.
    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool { false }

    package var listsEvents: Bool { true }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard let asked = PayPalInquirer.asked(request) else {
            guard request.isAuthorized(by: credentials) else {
                return Self.answer(401, moment) { $0.member("error", "invalid_client") }
            }
            return Self.answer(200, moment) {
                $0.member("access_token", token)
                $0.member("expires_in", Self.tokenSeconds)
            }
        }
        guard request.isBearer(token) else {
            return Self.answer(401, moment) { $0.member("error", "invalid_token") }
        }
        let event = find(.transaction, asked.id)?.events.last {
            ($0.kind == "payment" ? $0.transaction : $0.actionID) == asked.id
        }
        guard let event, let words = PayPalSender.words(event.type),
            asked.kind == Self.kind(event, words.type)
        else { return Self.answer(404, moment) { $0.member("name", "RESOURCE_NOT_FOUND") } }
        return Self.answer(200, moment) {
            PayPalSender.write(event, words.status, "https://api-m.paypal.com", to: &$0)
        }
    }

    // MARK: Events

    package func list(
        _ request: InquiryRequest, at moment: ResponderMoment,
        events: () -> [SentEvent]
    ) -> InquiryAnswer? {
        guard request.path == PayPalLister.path else { return nil }
        guard request.isBearer(token) else {
            return Self.answer(401, moment) { $0.member("error", "invalid_token") }
        }
        func time(_ name: String) -> Timestamp? {
            request.parameter(name).flatMap { Timestamp(iso8601: $0) }
        }
        guard let since = time("start_time"), let until = time("end_time") else {
            return Self.answer(400, moment) { $0.member("name", "VALIDATION_ERROR") }
        }
        let size = request.parameter("page_size").flatMap { Int($0) } ?? 10
        let first = request.parameter("next_page_token").flatMap { Int($0) } ?? 0
        // In no order that is published.
        let all = events().filter { (since...max(since, until)).contains($0.time) }
        let page = all.dropFirst(first).prefix(size)
        let own = request.target.split(separator: "&").filter {
            !$0.hasPrefix("next_page_token=")
        }
        let next = own.joined(separator: "&") + "&next_page_token=\(first + page.count)"
        return Self.answer(200, moment) { json in
            json.key("events")
            json.beginArray()
            for event in page { json.raw(event.body[...]) }
            json.endArray()
            json.member("count", page.count)
            json.key("links")
            json.beginArray()
            if first + page.count < all.count {
                json.object { json in
                    json.member("href", "https://api-m.paypal.com\(next)")
                    json.member("rel", "next")
                    json.member("method", "GET")
                }
            }
            json.endArray()
        }
    }

    private static func kind(_ event: SampleEvent, _ type: String) -> PayPalResource? {
        switch event.kind {
        case "payment": type.hasPrefix("PAYMENT.AUTHORIZATION.") ? .authorization : .capture
        case "capture": .capture
        case "refund": .refund
        default: nil
        }
    }

    private static func answer(
        _ status: Int, _ moment: ResponderMoment, _ members: (inout JSONWriter) -> Void
    ) -> InquiryAnswer {
        var json = JSONWriter(reserving: 512)
        json.object { members(&$0) }
        return InquiryAnswer(status: status, json.bytes, at: moment)
    }
}

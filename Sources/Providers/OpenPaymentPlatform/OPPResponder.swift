import Bytes
import JSON
import Payments

/// The Open Payment Platform's side of an inquiry: the transaction report by reference or id, and
/// the checkout, whose session has always expired here.
package struct OPPResponder: Responder {
    private let token: String
    private let entityIDs: [String]
    private let sender: OpenPaymentPlatformSender

    /// - Throws: ``SettingsError`` without a token or the webhook's key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        token = try settings.headerText(OpenPaymentPlatform.token)
        entityIDs = settings[OpenPaymentPlatform.entityIDs] ?? []
        self.sender = try OpenPaymentPlatformSender(settings: settings)
    }

    private static let reports = ["/v1/query", "/v3/query"]

    package func serves(_ request: InquiryRequest) -> Bool {
        request.path.hasPrefix("/v1/checkouts/")
            || Self.reports.contains { request.path == $0 || request.path.hasPrefix("\($0)/") }
    }

    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool { true }

    /// The limit: two questions per minute about one id or reference at one entity (documented by
    /// Peach Payments).
    package var limit: ResponderLimit? {
        ResponderLimit(
            questions: 2, seconds: 60,
            subject: { request in
                guard !request.path.hasPrefix("/v1/checkouts/") else { return nil }
                let reference = request.parameter("merchantTransactionId") ?? ""
                return "\(request.path) \(request.parameter("entityId") ?? "") \(reference)"
            },
            refusal: { Self.envelope("800.120.100", "Too many requests", status: 429, $0) })
    }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard request.isBearer(token) else {
            return Self.envelope("800.900.300", "invalid authentication", status: 401, moment)
        }
        guard let entity = request.parameter("entityId"), entityIDs.contains(entity) else {
            return Self.envelope("800.900.303", "no permission", status: 403, moment)
        }
        if request.path.hasPrefix("/v1/checkouts/") {
            return Self.envelope("200.300.404", "no payment session", status: 400, moment)
        }
        // A report covers a single entity; here, all payments belong to the first one.
        let isKnown = entity == entityIDs.first
        let parts = request.path.split(separator: "/")
        if parts.count == 3 {
            let id = PercentEncoding.decode(Array(parts[2].utf8)[...])
                .map { String(decoding: $0, as: UTF8.self) }
            let events = id.flatMap { find(.transaction, $0) }.map(Self.events) ?? []
            let event = events.last { $0.id == id }
            guard isKnown, let event else { return Self.notFound(moment) }
            var json = JSONWriter(reserving: 512)
            json.object { json in
                sender.write(event.event, to: &json)
                Self.trailer(&json)
            }
            return InquiryAnswer(json.bytes, at: moment)
        }
        let life = request.parameter("merchantTransactionId").flatMap { find(.reference, $0) }
        let events = life.map(Self.events) ?? []
        guard isKnown, !events.isEmpty else { return Self.notFound(moment) }
        let isThird = parts.first == "v3"
        return Self.envelope("000.000.100", "successful request", status: 200, moment) { json in
            json.array(isThird ? "records" : "payments", events) {
                sender.write($1.event, to: &$0)
            }
            if isThird { json.member("pages", Int64(1)) }
        }
    }

    /// Returns every transaction of a life with its own id.
    private static func events(_ life: SampleLife) -> [(id: String, event: SampleEvent)] {
        life.payments.flatMap { payment in
            [payment.event(life.reference)].compactMap(\.self).map { (payment.transaction, $0) }
                + payment.operations.map { ($0.actionID, $0) }
        }
    }

    private static func notFound(_ moment: ResponderMoment) -> InquiryAnswer {
        envelope("700.400.580", "cannot find transaction", status: 404, moment)
    }

    /// Builds an answer; `code` is the result of the call.
    private static func envelope(
        _ code: String, _ description: String, status: Int, _ moment: ResponderMoment,
        _ content: (inout JSONWriter) -> Void = { _ in }
    ) -> InquiryAnswer {
        var json = JSONWriter(reserving: 1024)
        json.object { json in
            json.object("result") {
                $0.member("code", code)
                $0.member("description", description)
            }
            trailer(&json)
            content(&json)
        }
        return InquiryAnswer(status: status, json.bytes, at: moment)
    }

    private static func trailer(_ json: inout JSONWriter) {
        json.member("buildNumber", "simulated")
        json.member("ndc", "simulated")
    }
}

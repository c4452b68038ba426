import Bytes
import JSON
import Payments

/// GoCardless' side of a question: payments, their refunds, and the list of events.
struct GoCardlessResponder: Responder {
    private let token: String

    /// - Throws: ``SettingsError`` without an access token.
    init(settings: EndpointSettings) throws(SettingsError) {
        token = try settings.headerText(GoCardless.accessToken)
    }

    func serves(_ request: InquiryRequest) -> Bool {
        [GoCardlessInquirer.payments, GoCardlessInquirer.refunds, GoCardlessLister.path].contains {
            request.path == $0 || request.path.hasPrefix("\($0)/")
        }
    }

    /// No event that was not notified: a payment is only found by the id in a notification.
    func reports(_ event: SampleEvent, of life: SampleLife) -> Bool { false }

    var listsEvents: Bool { true }

    func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard request.isBearer(token) else { return Self.error(401, moment) }
        let parts = request.path.split(separator: "/").map(String.init)
        let isRefund = parts.first == "refunds"
        guard let id = parts.count > 1 ? parts[1] : request.parameter("payment") else {
            return Self.error(404, moment)
        }
        // The order's own ids may be without the prefix.
        guard let life = find(.transaction, id) ?? find(.transaction, String(id.dropFirst(2)))
        else {
            return parts.count > 1 ? Self.error(404, moment) : Self.list("refunds", [], moment)
        }
        let payment = life.payments.last { Self.prefixed($0.transaction, "PM") == id }
        if parts.count == 1 {
            let refunds = payment?.operations("refund") ?? []
            return Self.list("refunds", refunds.map(Self.refund), moment)
        }
        let object =
            isRefund
            ? life.events.last { $0.kind == "refund" && Self.prefixed($0.actionID, "RF") == id }
                .map(Self.refund)
            : payment.flatMap { Self.payment($0, life.reference) }
        guard let object else { return Self.error(404, moment) }
        var json = JSONWriter(reserving: object.count + 16)
        json.object { json in
            json.key(isRefund ? "refunds" : "payments")
            json.raw(object[...])
        }
        return InquiryAnswer(json.bytes, at: moment)
    }

    // MARK: Events

    func list(
        _ request: InquiryRequest, at moment: ResponderMoment,
        events: () -> [SentEvent]
    ) -> InquiryAnswer? {
        guard request.path == GoCardlessLister.path else { return nil }
        guard request.isBearer(token) else { return Self.error(401, moment) }
        func time(_ name: String) -> Timestamp? {
            request.parameter(name)
                .flatMap { PercentEncoding.decode(Array($0.utf8)[...]) }
                .flatMap { Timestamp(iso8601: String(decoding: $0, as: UTF8.self)) }
        }
        let since = time("created_at%5Bgte%5D") ?? Timestamp(microseconds: 0)
        let until = time("created_at%5Blte%5D") ?? Timestamp(microseconds: .max)
        var all: [(id: String, time: Timestamp, event: [UInt8])] = []
        for event in events() where since <= event.time && event.time <= until {
            let root = (try? JSONDocument(parsing: event.body))?.root
            for element in root?["events"]?.elements.map(\.self) ?? [] {
                guard let id = element["id"]?.string else { continue }
                all.append((id, event.time, Array(element.rawBytes)))
            }
        }
        all.sort { ($0.time, $0.id) > ($1.time, $1.id) }
        if let last = request.parameter("after") {
            guard let index = all.firstIndex(where: { $0.id == last }) else {
                return Self.error(400, moment)
            }
            all.removeFirst(index + 1)
        }
        let limit = min(request.parameter("limit").flatMap { Int($0) } ?? 50, 500)
        let page = all.prefix(limit)
        return Self.list(
            "events", page.map(\.event), moment, after: all.count > limit ? page.last?.id : nil)
    }

    // MARK: Objects

    private static func prefixed(_ text: String, _ prefix: String) -> String {
        text.hasPrefix(prefix) ? text : prefix + text
    }

    private static func payment(_ payment: SamplePayment, _ reference: String) -> [UInt8]? {
        guard let event = payment.event(reference) else { return nil }
        let dispute = payment.operations("dispute").last?.type
        let status =
            switch event.type {
            case _ where payment.operations("reversal").last != nil: "failed"
            case .paid: dispute == nil || dispute == .disputeWon ? "confirmed" : "charged_back"
            case .canceled, .expired: "cancelled"
            case .failed, .tryFailed: "failed"
            default: "submitted"
            }
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.member("id", prefixed(payment.transaction, "PM"))
            json.member("created_at", payment.began.rfc3339)
            write(event.money, to: &json)
            json.member("status", status)
            json.object("metadata") { $0.member("order_id", reference) }
        }
        return json.bytes
    }

    private static func refund(_ event: SampleEvent) -> [UInt8] {
        let status =
            switch event.type {
            case .refunded: "paid"
            case .refundFailed: "bounced"
            default: "submitted"
            }
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("id", prefixed(event.actionID, "RF"))
            json.member("created_at", event.occurred.rfc3339)
            write(event.money, to: &json)
            json.member("status", status)
            json.object("links") { $0.member("payment", prefixed(event.transaction, "PM")) }
        }
        return json.bytes
    }

    private static func write(_ money: Money, to json: inout JSONWriter) {
        json.member("amount", money.minor)
        json.member("currency", money.currency.code)
    }

    // MARK: Answers

    private static func list(
        _ name: String, _ objects: [[UInt8]], _ moment: ResponderMoment, after: String? = nil
    ) -> InquiryAnswer {
        var json = JSONWriter(reserving: 4096)
        json.object { json in
            json.key(name)
            json.beginArray()
            for object in objects { json.raw(object[...]) }
            json.endArray()
            json.object("meta") { json in
                json.object("cursors") { json in
                    json.null("before")
                    if let after { json.member("after", after) } else { json.null("after") }
                }
                json.member("limit", 50)
            }
        }
        return InquiryAnswer(json.bytes, at: moment)
    }

    private static func error(_ status: Int, _ moment: ResponderMoment) -> InquiryAnswer {
        var json = JSONWriter(reserving: 128)
        json.object { json in
            json.object("error") { json in
                json.member("message", status == 404 ? "Resource not found" : "Access denied")
                json.member("code", status)
            }
        }
        return InquiryAnswer(status: status, json.bytes, at: moment)
    }
}

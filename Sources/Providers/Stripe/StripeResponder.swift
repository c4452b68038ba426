import Bytes
import JSON
import Payments

/// Stripe's side of a question: PaymentIntents, and lists of their refunds and disputes.
struct StripeResponder: Responder {
    private let apiKey: String

    /// - Throws: ``SettingsError`` without an API key.
    init(settings: EndpointSettings) throws(SettingsError) {
        apiKey = try settings.headerText(Stripe.apiKey)
    }

    func serves(_ request: InquiryRequest) -> Bool {
        ["payment_intents", "refunds", "disputes", "charges", "events"].contains {
            request.path == "/v1/\($0)" || request.path.hasPrefix("/v1/\($0)/")
        }
    }

    /// A PaymentIntent has one status, and that of a failed try only until the next one.
    func reports(_ event: SampleEvent, of life: SampleLife) -> Bool { event.kind != "other" }

    var listsEvents: Bool { true }

    func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard request.isBearer(apiKey) else {
            return Self.error(401, "Invalid API Key provided", moment)
        }
        let parts = request.path.split(separator: "/").dropFirst()
        let kind = parts.first.map(String.init) ?? ""
        guard parts.count > 1 else {
            guard let id = request.parameter("payment_intent"),
                let payment = Self.life(of: id, find)?.payments.last(where: {
                    Self.intentID($0.transaction) == id
                })
            else { return Self.list("list", [], moment) }
            let operations = payment.operations(kind == "refunds" ? "refund" : "dispute")
            return Self.list("list", operations.map { Self.object($0) }, moment)
        }
        guard parts.last == "search", kind == "payment_intents" else {
            let id = PercentEncoding.decode(Array((parts.last ?? "").utf8)[...]).flatMap {
                String(validating: $0, as: UTF8.self)
            }
            guard let id, let found = Self.found(id, find) else {
                return Self.error(404, "No such object", moment)
            }
            return InquiryAnswer(found, at: moment)
        }
        let query = request.parameter("query") ?? ""
        // metadata['order_id']:'…', perhaps several of them, with OR between.
        let value = query.components(after: "']:'", before: "'").first ?? ""
        let reference = value.replacing("\\'", with: "'").replacing("\\\\", with: "\\")
        let life = find(.reference, reference)
        let intents = life?.payments.compactMap { Self.intent($0, reference) } ?? []
        return Self.list("search_result", intents, moment)
    }

    // MARK: Events

    func list(
        _ request: InquiryRequest, at moment: ResponderMoment,
        events: () -> [SentEvent]
    ) -> InquiryAnswer? {
        guard request.path == StripeLister.path else { return nil }
        guard request.isBearer(apiKey) else {
            return Self.error(401, "Invalid API Key provided", moment)
        }
        func number(_ name: String) -> Int64? { request.parameter(name).flatMap { Int64($0) } }
        let since = number("created%5Bgte%5D") ?? 0
        let until = number("created%5Blte%5D") ?? .max
        var all = events().compactMap { event -> (id: String, time: Int64, body: [UInt8])? in
            let seconds = event.time.microseconds / 1_000_000
            guard (since...until).contains(seconds),
                let id = (try? JSONDocument(parsing: event.body))?.root["id"]?.string
            else { return nil }
            return (id, seconds, event.body)
        }
        // Newest first.
        all.sort { ($0.time, $0.id) > ($1.time, $1.id) }
        if let last = request.parameter("starting_after") {
            guard let index = all.firstIndex(where: { $0.id == last }) else {
                return Self.error(400, "No such event", moment)
            }
            all.removeFirst(index + 1)
        }
        let limit = min(Int(number("limit") ?? 10), 100)
        return Self.list("list", all.prefix(limit).map(\.body), moment, hasMore: all.count > limit)
    }

    // MARK: Objects

    private static func found(
        _ id: String, _ find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> [UInt8]? {
        guard let life = life(of: id, find) else { return nil }
        if let payment = life.payments.last(where: { intentID($0.transaction) == id }) {
            return intent(payment, life.reference)
        }
        return life.events.last { operationID($0.actionID) == id }.map { object($0) }
    }

    /// The life of an order with an object of this id, which may have a prefix that the order's own
    /// ids have not.
    private static func life(
        of id: String, _ find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> SampleLife? {
        find(.transaction, id) ?? find(.transaction, String(id.dropFirst(3)))
    }

    private static func intentID(_ text: String) -> String { prefixed(text, "pi_") }
    private static func operationID(_ text: String) -> String { prefixed(text, "re_") }

    private static func prefixed(_ text: String, _ prefix: String) -> String {
        text.hasPrefix(prefix) ? text : prefix + text
    }

    private static func intent(_ payment: SamplePayment, _ reference: String) -> [UInt8]? {
        guard let event = payment.event(reference) else { return nil }
        let isCaptured = payment.captured != nil
        let status =
            switch event.type {
            case .paid: "succeeded"
            case .authorized: isCaptured ? "succeeded" : "requires_capture"
            case .canceled, .expired: "canceled"
            case .tryFailed, .failed: "requires_payment_method"
            default: "processing"
            }
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.member("id", intentID(payment.transaction))
            json.member("object", "payment_intent")
            write(event.money, to: &json)
            json.member("amount_capturable", status == "requires_capture" ? event.money.minor : 0)
            json.member(
                "amount_received",
                status == "succeeded" ? payment.captured ?? event.money.minor : 0)
            json.member("status", status)
            json.member("created", payment.began.microseconds / 1_000_000)
            json.member("livemode", true)
            json.object("metadata") { $0.member("order_id", reference) }
            if event.type == .expired { json.member("cancellation_reason", "expired") }
            if status == "requires_payment_method" {
                json.object("last_payment_error") { $0.member("code", "card_declined") }
            }
        }
        return json.bytes
    }

    /// A refund or a dispute.
    private static func object(_ event: SampleEvent) -> [UInt8] {
        let isRefund = event.kind == "refund"
        let status =
            switch event.type {
            case .refunded: "succeeded"
            case .refundFailed: "failed"
            case .refundPending: "pending"
            case .disputeWon: "won"
            case .disputeClosed: "warning_closed"
            case .chargedBack: "lost"
            default: "needs_response"
            }
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("id", operationID(event.actionID))
            json.member("object", isRefund ? "refund" : "dispute")
            write(event.money, to: &json)
            json.member("payment_intent", intentID(event.transaction))
            json.member("status", status)
            json.member("created", event.occurred.microseconds / 1_000_000)
        }
        return json.bytes
    }

    private static func write(_ money: Money, to json: inout JSONWriter) {
        json.member("amount", money.minor)
        json.member("currency", money.currency.code.lowercased())
    }

    // MARK: Answers

    private static func list(
        _ kind: String, _ objects: [[UInt8]], _ moment: ResponderMoment, hasMore: Bool = false
    ) -> InquiryAnswer {
        var json = JSONWriter(reserving: 4096)
        json.object { json in
            json.member("object", kind)
            json.key("data")
            json.beginArray()
            for object in objects { json.raw(object[...]) }
            json.endArray()
            json.member("has_more", hasMore)
        }
        return InquiryAnswer(json.bytes, at: moment)
    }

    private static func error(
        _ status: Int, _ message: String, _ moment: ResponderMoment
    ) -> InquiryAnswer {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.object("error") { json in
                json.member("type", "invalid_request_error")
                json.member("message", message)
            }
        }
        return InquiryAnswer(status: status, json.bytes, at: moment)
    }
}

extension String {
    /// The texts between these two, in their order.
    fileprivate func components(after start: String, before end: String) -> [String] {
        split(separator: start).dropFirst().map { part in
            // The text's own apostrophes are escaped.
            var text = ""
            var isEscaped = false
            for character in part {
                if character == "'", !isEscaped { break }
                isEscaped = character == "\\" && !isEscaped
                text.append(character)
            }
            return text
        }
    }
}

import Bytes
import JSON
import Payments

/// Square's side of a question: payments, their refunds, and the list of events.
struct SquareResponder: Responder {
    private let token: String

    /// - Throws: ``SettingsError`` without an access token.
    init(settings: EndpointSettings) throws(SettingsError) {
        token = try settings.headerText(Square.accessToken)
    }

    func serves(_ request: InquiryRequest) -> Bool {
        [SquareInquirer.payments, SquareInquirer.refunds].contains { request.path.hasPrefix($0) }
            || request.path == SquareLister.path
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
        guard parts.count == 3, let life = find(.transaction, parts[2]) else {
            return Self.error(404, moment)
        }
        let id = parts[2]
        let isRefund = parts[1] == "refunds"
        let object =
            isRefund
            ? life.events.last { $0.kind == "refund" && $0.actionID == id }.map(Self.refund)
            : life.payments.last { $0.transaction == id }
                .flatMap { Self.payment($0, life.reference) }
        guard let object else { return Self.error(404, moment) }
        let body = JSONWriter.object(reserving: object.count + 16) { json in
            json.key(isRefund ? "refund" : "payment")
            json.raw(object[...])
        }
        return InquiryAnswer(body, at: moment)
    }

    // MARK: Events

    func list(
        _ request: InquiryRequest, at moment: ResponderMoment, events: () -> [SentEvent]
    ) -> InquiryAnswer? {
        guard request.path == SquareLister.path else { return nil }
        guard request.isBearer(token) else { return Self.error(401, moment) }
        guard request.method == "POST", let root = try? JSONDocument(parsing: request.body).root
        else { return Self.error(400, moment) }
        let filter = root["query"]?["filter"]
        func time(_ name: String) -> Timestamp? {
            filter?["created_at"]?[name]?.string.flatMap { Timestamp(iso8601: $0) }
        }
        let since = time("start_at") ?? Timestamp(microseconds: 0)
        let until = time("end_at") ?? Timestamp(microseconds: .max)
        let types = filter?["event_types"]?.elements.map { $0.string ?? "" } ?? []
        let merchants = filter?["merchant_ids"]?.elements.map { $0.string ?? "" } ?? []
        func isWanted(_ event: SentEvent) -> Bool {
            guard since <= event.time, event.time <= until,
                let root = try? JSONDocument(parsing: event.body).root
            else { return false }
            return (types.isEmpty || types.contains(root["type"]?.string ?? ""))
                && (merchants.isEmpty || merchants.contains(root["merchant_id"]?.string ?? ""))
        }
        // In no order that is published.
        let all = events().filter(isWanted)
        let first = root["cursor"]?.string.flatMap { Int($0) } ?? 0
        let page = all.dropFirst(first)
            .prefix(Int(root["limit"]?.int64 ?? Int64(SquareLister.pageSize)))
        let body = JSONWriter.object(reserving: 4096) { json in
            json.key("events")
            json.beginArray()
            for event in page { json.raw(event.body[...]) }
            json.endArray()
            let rest = first + page.count
            if rest < all.count { json.member("cursor", "\(rest)") }
        }
        return InquiryAnswer(body, at: moment)
    }

    // MARK: Objects

    private static func payment(_ payment: SamplePayment, _ reference: String) -> [UInt8]? {
        guard let event = payment.event(reference) else { return nil }
        let status =
            switch event.type {
            case .authorized: payment.captured == nil ? "APPROVED" : "COMPLETED"
            case .paid: "COMPLETED"
            case .canceled, .expired: "CANCELED"
            case .failed, .tryFailed: "FAILED"
            default: "PENDING"
            }
        let refunds = payment.operations("refund")
        return JSONWriter.object(reserving: 512) { json in
            json.member("id", payment.transaction)
            json.member("created_at", payment.began.rfc3339)
            json.member("updated_at", payment.changed.rfc3339)
            write(event.money, as: "amount_money", to: &json)
            write(event.money, as: "total_money", to: &json)
            if payment.refunded > 0 {
                write(
                    Money(minor: payment.refunded, currency: event.money.currency),
                    as: "refunded_money", to: &json)
            }
            if !refunds.isEmpty { json.array("refund_ids", refunds.map(\.actionID)) }
            json.member("status", status)
            json.member("source_type", "CARD")
            json.member("reference_id", reference)
        }
    }

    private static func refund(_ event: SampleEvent) -> [UInt8] {
        let status =
            switch event.type {
            case .refunded: "COMPLETED"
            case .refundFailed: "REJECTED"
            default: "PENDING"
            }
        return JSONWriter.object(reserving: 256) { json in
            json.member("id", event.actionID)
            json.member("payment_id", event.transaction)
            json.member("created_at", event.occurred.rfc3339)
            write(event.money, as: "amount_money", to: &json)
            json.member("status", status)
        }
    }

    private static func write(_ money: Money, as name: String, to json: inout JSONWriter) {
        json.object(name) { json in
            json.member("amount", money.minor)
            json.member("currency", money.currency.code)
        }
    }

    private static func error(_ status: Int, _ moment: ResponderMoment) -> InquiryAnswer {
        let body = JSONWriter.object { json in
            json.array("errors", [status]) { json, status in
                json.member(
                    "code",
                    status == 401 ? "UNAUTHORIZED" : status == 404 ? "NOT_FOUND" : "BAD_REQUEST")
            }
        }
        return InquiryAnswer(status: status, body, at: moment)
    }
}

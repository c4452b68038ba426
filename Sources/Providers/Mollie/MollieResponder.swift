import Bytes
import JSON
import Payments

/// Mollie's side of a question: the payment with everything that happened to it, and the lists of
/// payments, refunds and chargebacks.
package struct MollieResponder: Responder {
    private let apiKey: String

    /// - Throws: ``SettingsError`` without an API key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        apiKey = try settings.headerText(Mollie.apiKey)
    }

    package func serves(_ request: InquiryRequest) -> Bool {
        request.path.hasPrefix(MollieInquirer.path) || Self.list(request) != nil
    }

    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool {
        event.kind != "other"
    }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard request.isBearer(apiKey) else { return Self.unauthorized(moment) }
        let id = String(request.path.dropFirst(MollieInquirer.path.count))
        let names = [id, String(id.dropFirst(3))]
        for name in names {
            guard let life = find(.transaction, name),
                let payment = life.payments.last(where: {
                    MollieEntity.paymentID($0.transaction) == id
                }), let body = body(payment, life)
            else { continue }
            return InquiryAnswer(body, at: moment)
        }
        let body = #"{"status":404,"title":"Not Found"}"#
        return InquiryAnswer(status: 404, Array(body.utf8), at: moment)
    }

    // MARK: Lists

    private static func list(_ request: InquiryRequest) -> MollieCursor.List? {
        MollieCursor.List.allCases.first { request.path == "/v2/\($0.rawValue)" }
    }

    package func list(
        _ request: InquiryRequest, at moment: ResponderMoment, events: () -> [SentEvent]
    ) -> InquiryAnswer? {
        guard let list = Self.list(request) else { return nil }
        guard request.isBearer(apiKey) else { return Self.unauthorized(moment) }
        var entries: [(id: String, created: Timestamp, body: [UInt8])] = []
        for (reference, sent) in Dictionary(grouping: events().map(\.event), by: \.reference) {
            let life = SampleLife(reference: reference, events: sent)
            for payment in life.payments {
                guard list != .payments else {
                    guard let body = body(payment, life, withDetails: false) else { continue }
                    entries.append(
                        (MollieEntity.paymentID(payment.transaction), payment.began, body))
                    continue
                }
                for operation in payment.operations(list == .refunds ? "refund" : "dispute") {
                    let first = life.events.first { $0.actionID == operation.actionID }
                    let created = first?.occurred ?? operation.occurred
                    let body = JSONWriter.object(reserving: 256) {
                        Self.write(operation, created, isTest, to: &$0)
                    }
                    entries.append((operation.actionID, created, body))
                }
            }
        }
        // Newest first.
        entries.sort { ($0.created, $0.id) > ($1.created, $1.id) }
        if let from = request.parameter("from") {
            guard let index = entries.firstIndex(where: { $0.id == from }) else {
                return InquiryAnswer(status: 400, Array(#"{"status":400}"#.utf8), at: moment)
            }
            entries.removeFirst(index)
        }
        let limit = request.parameter("limit").flatMap { Int($0) } ?? 50
        let next = entries.dropFirst(limit).first.map {
            "https://api.mollie.com\(request.path)?from=\($0.id)&limit=\(limit)"
        }
        return InquiryAnswer(
            Self.page(entries.prefix(limit).map(\.body), list, next: next), at: moment)
    }

    private static func page(
        _ entries: [[UInt8]], _ list: MollieCursor.List, next: String?
    ) -> [UInt8] {
        JSONWriter.object(reserving: 4096) { json in
            json.member("count", entries.count)
            json.object("_embedded") { json in
                json.key(list.rawValue)
                json.beginArray()
                for entry in entries { json.raw(entry[...]) }
                json.endArray()
            }
            json.object("_links") { json in
                if let next {
                    json.object("next") { $0.member("href", next) }
                } else {
                    json.null("next")
                }
            }
        }
    }

    private static func unauthorized(_ moment: ResponderMoment) -> InquiryAnswer {
        let body = #"{"status":401,"title":"Unauthorized Request"}"#
        return InquiryAnswer(status: 401, Array(body.utf8), at: moment)
    }

    // MARK: Entities

    private var isTest: Bool { apiKey.hasPrefix("test_") }

    private func body(
        _ payment: SamplePayment, _ life: SampleLife, withDetails: Bool = true
    ) -> [UInt8]? {
        guard let event = payment.event(life.reference) else { return nil }
        let word =
            switch event.type {
            case .authorized where payment.captured != nil: "paid"
            case .tryFailed: "failed"
            case .pending, .authorized, .paid, .failed, .canceled, .expired: event.type.rawValue
            default: "open"
            }
        var json = JSONWriter(reserving: 1024)
        json.object { json in
            MollieEntity.write(
                event, "payment", word, created: payment.began, isTest: isTest, to: &json)
            for (name, time) in Self.times(payment, life) {
                json.member(name, time.wholeSeconds.rfc3339)
            }
            if let captured = payment.captured {
                MollieEntity.write(
                    Money(minor: captured, currency: event.money.currency), as: "amountCaptured",
                    to: &json)
            }
            let refunds = payment.operations("refund").filter { $0.type != .refundFailed }
            MollieEntity.write(
                Money(
                    minor: refunds.reduce(0) { $0 + $1.money.minor },
                    currency: event.money.currency), as: "amountRefunded", to: &json)
            guard withDetails else { return }
            json.object("_embedded") { json in
                for (name, kind) in [
                    ("captures", "capture"), ("refunds", "refund"), ("chargebacks", "dispute"),
                ] {
                    json.array(name, payment.operations(kind)) {
                        Self.write($1, $1.occurred, isTest, to: &$0)
                    }
                }
            }
        }
        return json.bytes
    }

    /// When the payment came to its statuses.
    private static func times(
        _ payment: SamplePayment, _ life: SampleLife
    ) -> [(name: String, time: Timestamp)] {
        var times: [String: Timestamp] = [:]
        for event in life.events where event.transaction == payment.transaction {
            switch event.type {
            case .authorized: times["authorizedAt"] = event.occurred
            case .paid, .captured: times["paidAt"] = event.occurred
            case .failed, .tryFailed: times["failedAt"] = event.occurred
            case .canceled: times["canceledAt"] = event.occurred
            case .expired: times["expiredAt"] = event.occurred
            default: break
            }
        }
        return times.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// A capture, refund or chargeback.
    private static func write(
        _ operation: SampleEvent, _ created: Timestamp, _ isTest: Bool, to json: inout JSONWriter
    ) {
        let kind = operation.kind == "dispute" ? "chargeback" : operation.kind
        let word =
            switch operation.type {
            case .captured: "succeeded"
            case .captureFailed, .refundFailed: "failed"
            case .refunded: "refunded"
            case .refundPending: "processing"
            case .disputeWon: "reversed"
            default: "received"
            }
        MollieEntity.write(operation, kind, word, created: created, isTest: isTest, to: &json)
    }
}

import AdminAPI
import HTTP
import JSON
import Payments
import Store

/// What a person does with one order: asks the provider, ends a review, corrects what is expected.
struct OrderActs {
    let endpoint: String
    let reference: String

    /// Those in which no money may have moved.
    private static let correctable: Set<OrderStatus> = [
        .pending, .authorized, .failed, .canceled, .expired, .review,
    ]

    private func path(_ act: String? = nil) -> String {
        OrderPath.of(OrderName(endpoint: endpoint, reference: reference), act: act)
    }

    /// The forms that fit an order as the API tells it. `last` is the newest record that the person
    /// sees: when another one has come since, the act is refused.
    func forms(of order: JSONValue, _ visit: PageVisit) -> PageValues {
        var forms: PageValues = [:]
        guard let last = order["last"]?.int64 else { return forms }
        let known = order["amount"] ?? order["expected"]?["amount"]
        let currency = PageText.amount(known)?.currency.code ?? ""
        if order["status"]?.string == OrderStatus.review.rawValue {
            let statuses = OrderStatus.allCases.filter { $0 != .review }.map(\.rawValue)
            forms["resolve"] =
                [
                    "path": visit.base + path("resolve"), "last": "\(last)",
                    "currency": currency,
                    "statuses": statuses.map {
                        ["value": $0, "word": StatusLook(order: $0).word] as PageValues
                    },
                ] as PageValues
        }
        // When money has moved, what was expected stands, and the API refuses to correct it.
        let hasMoney = (PageText.amount(order["captured"])?.minor ?? 0) > 0
        let status = order["status"]?.string.flatMap { OrderStatus(rawValue: $0) }
        let isOpen = status.map { Self.correctable.contains($0) } ?? false
        if isOpen, !hasMoney, let expected = PageText.amount(order["expected"]?["amount"]) {
            forms["correct"] =
                [
                    "path": visit.base + path("correct"), "last": "\(last)",
                    "currency": expected.currency.code, "amount": expected.decimal,
                ] as PageValues
        }
        return forms
    }

    func act(_ action: String, _ visit: PageVisit) async throws(PageProblem) -> Response {
        let fields = FormFields(body: visit.request)
        let notice: PageNotice
        switch action {
        case "resolve":
            _ = try await visit.answers.post("/\(path("resolve"))", try resolution(fields))
            notice = .resolved
        case "correct":
            _ = try await visit.answers.post("/\(path("correct"))", try correction(fields))
            notice = .corrected
        default:
            let report = try await visit.answers.post("/\(path("inquire"))")
            notice = report.list("recorded").isEmpty ? .inquiredNothing : .inquired
        }
        let place = path()
        let mark = place.contains("?") ? "&" : "?"
        return PageResponse.redirect(
            to: "\(visit.base)\(place)\(mark)notice=\(notice.rawValue)")
    }

    /// Accepts what the order shows, or says what it is.
    private func resolution(_ fields: FormFields) throws(PageProblem) -> [UInt8] {
        var writer = try begin(fields)
        if let status = fields["status"] {
            writer.key("status")
            writer.string(status)
            if let captured = try amount("captured", fields) {
                writer.key("captured")
                Self.write(captured, to: &writer)
            }
            if let refunded = try amount("refunded", fields) {
                writer.key("refunded")
                Self.write(refunded, to: &writer)
            }
        }
        writer.endObject()
        return writer.bytes
    }

    private func correction(_ fields: FormFields) throws(PageProblem) -> [UInt8] {
        guard let amount = try amount("amount", fields) else {
            throw PageProblem(400, "amount_missing", "Give the amount that is expected.")
        }
        var writer = try begin(fields)
        writer.key("amount")
        Self.write(amount, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// What both bodies begin with.
    private func begin(_ fields: FormFields) throws(PageProblem) -> JSONWriter {
        guard let reason = fields["reason"], let last = fields["last"].flatMap({ Int64($0) }) else {
            throw PageProblem(400, "reason_missing", "Give the reason: it is recorded.")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("reason")
        writer.string(reason)
        writer.key("last")
        writer.integer(last)
        return writer
    }

    private func amount(_ name: String, _ fields: FormFields) throws(PageProblem) -> Money? {
        guard let text = fields[name] else { return nil }
        let code = fields["currency"] ?? ""
        // What is pasted often has a space at its end.
        let digits = text.drop { $0 == " " }.prefix { $0 != " " }
        let isOneWord = !text.drop { $0 == " " }.dropFirst(digits.count).contains { $0 != " " }
        guard let currency = Currency(listed: code), isOneWord,
            let amount = Money(decimal: String(digits), currency: currency)
        else {
            throw PageProblem(
                400, "amount_invalid", "“\(text)” is not a valid \(code) amount.")
        }
        return amount
    }

    private static func write(_ money: Money, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("minor")
        writer.integer(money.minor)
        writer.key("currency")
        writer.string(money.currency.code)
        writer.endObject()
    }
}

import AdminAPI
import HTTP
import Payments
import Store

/// The acts of a person on one order: asks the provider, resolves a review, corrects the
/// expectation, erases personal data.
struct OrderActs {
    let name: OrderName

    /// The statuses in which no money may have moved.
    private static let correctable: Set<String> = Set(
        [OrderStatus.pending, .authorized, .failed, .canceled, .expired, .review].map(\.rawValue))

    private func path(_ act: String? = nil) -> String { OrderPath.of(name, act: act) }

    /// The forms for an order. Each sends `last`, the newest record that the person sees: if
    /// another one has come since, the act is refused.
    func forms(of order: OrderAnswer, _ visit: PageVisit) -> PageValues {
        var forms: PageValues = [:]
        let expected = order.expected?.amount
        if order.status == OrderStatus.review.rawValue {
            let statuses = OrderStatus.allCases.filter { $0 != .review }.map(\.rawValue)
            forms["resolve"] =
                [
                    "path": visit.base + path("resolve"), "last": "\(order.last)",
                    "currency": (order.amount ?? expected)?.currency.code ?? "",
                    "statuses": statuses.map {
                        ["value": $0, "word": StatusLook(order: $0).word] as PageValues
                    },
                ] as PageValues
        }
        // After money has moved the API refuses to correct the expectation.
        let hasMoney = (order.captured?.minor ?? 0) > 0
        if Self.correctable.contains(order.status), !hasMoney, let expected {
            forms["correct"] =
                [
                    "path": visit.base + path("correct"), "last": "\(order.last)",
                    "currency": expected.currency.code, "amount": expected.decimal,
                ] as PageValues
        }
        if visit.api.canErase {
            forms["erase"] =
                ["path": visit.base + path("erase"), "last": "\(order.last)"] as PageValues
        }
        return forms
    }

    func act(_ action: String, _ visit: PageVisit) async throws(Problem) -> Response {
        let notice: PageNotice
        switch action {
        case "resolve":
            _ = try await visit.api.resolve(name, resolution(visit))
            notice = .resolved
        case "correct":
            try await correct(visit)
            notice = .corrected
        case "erase":
            let (reason, last) = try decision(FormFields(body: visit.request))
            _ = try await visit.api.erase(name, reason: reason, last: last)
            notice = .erased
        case "resend":
            let answer = try await visit.api.resend(name)
            notice = answer.changed > 0 ? .resent : .nothingToResend
        default:
            let answer = try await visit.api.inquire(name)
            notice = answer.recorded.isEmpty ? .inquiredNothing : .inquired
        }
        let place = path()
        let mark = place.contains("?") ? "&" : "?"
        return PageResponse.redirect(
            to: "\(visit.base)\(place)\(mark)notice=\(notice.rawValue)")
    }

    /// Accepts what the order shows, or states its status and sums.
    private func resolution(_ visit: PageVisit) throws(Problem) -> ResolutionRequest {
        let fields = FormFields(body: visit.request)
        let (reason, last) = try decision(fields)
        guard let status = fields["status"] else {
            return try ResolutionRequest(reason: reason, last: last)
        }
        return try ResolutionRequest(
            reason: reason, last: last, status: status, captured: amount("captured", fields),
            refunded: amount("refunded", fields))
    }

    private func correct(_ visit: PageVisit) async throws(Problem) {
        let fields = FormFields(body: visit.request)
        guard let amount = try amount("amount", fields) else {
            throw Problem(400, "amount_missing", "Enter the expected amount.")
        }
        let (reason, last) = try decision(fields)
        _ = try await visit.api.correct(name, amount: amount, reason: reason, last: last)
    }

    /// The fields that all of these forms have.
    private func decision(
        _ fields: FormFields
    ) throws(Problem) -> (reason: String, last: UInt64) {
        guard let reason = fields["reason"], let last = fields["last"].flatMap({ UInt64($0) })
        else {
            throw Problem(400, "reason_missing", "Enter the reason. It is recorded.")
        }
        return (reason, last)
    }

    private func amount(_ name: String, _ fields: FormFields) throws(Problem) -> Money? {
        guard let text = fields[name] else { return nil }
        let code = fields["currency"] ?? ""
        // Pasted text often ends with a space.
        let digits = text.drop { $0 == " " }.prefix { $0 != " " }
        let isOneWord = !text.drop { $0 == " " }.dropFirst(digits.count).contains { $0 != " " }
        guard let currency = Currency(listed: code), isOneWord,
            let amount = Money(decimal: String(digits), currency: currency), amount.minor >= 0
        else {
            throw Problem(400, "amount_invalid", "“\(text)” is not a valid \(code) amount.")
        }
        return amount
    }
}

import Bytes
import JSON
import Payments

/// Asks GoCardless for a payment by its id, and for its refunds.
///
/// - **Requests:** `GET /payments/{id}` and `/refunds?payment={id}`, or `/refunds/{id}`; the access
///   token as bearer token. GoCardless offers no search by metadata.
/// - **Answer:** not signed. Each object is read as the event that reports its status, by the
///   recipe's rules, with the sum that the event leaves out.
struct GoCardlessInquirer: Inquirer {
    private let token: String
    private let provider: RecipeProvider

    static let payments = "/payments"
    static let refunds = "/refunds"
    /// The most that GoCardless returns.
    private static let refundsMax = 500

    /// - Throws: ``SettingsError`` without an access token, and as ``RecipeProvider`` does.
    init(_ recipe: Recipe, settings: EndpointSettings) throws(SettingsError) {
        token = try settings.headerText(GoCardless.accessToken)
        provider = try RecipeProvider(recipe, settings: settings)
    }

    func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        let question = conversation.question
        guard question.name == .transaction, GoCardless.isID(question.value),
            question.subject == .payment || question.subject == .refund
        else { throw .unsupported(question) }
        let isRefund = question.subject == .refund || question.value.hasPrefix("RF")
        let kind = isRefund ? Self.refunds : Self.payments
        let exchanges = conversation.exchanges
        guard let first = exchanges.first else {
            return .ask(request("\(kind)/\(question.value)"))
        }
        do throws(NoAnswer) {
            let name = String(kind.dropFirst())
            let object = try first.answer.member(name, of: "GoCardless").value
            guard object["id"]?.word == question.value else {
                throw .mismatch(isRefund ? "refund" : "payment", .tls)
            }
            guard !isRefund, Self.wasPaid(object) else {
                return .found(InquiryFinding(try facts(name, object, 0), trust: .tls))
            }
            guard exchanges.count > 1 else {
                return .ask(
                    request("\(Self.refunds)?payment=\(question.value)&limit=\(Self.refundsMax)"))
            }
            let (list, root) = try exchanges[1].answer.member("refunds", of: "GoCardless")
            guard list.kind == .array, root["meta"]?["cursors"]?["after"]?.isNull ?? true else {
                throw .unreadable(.tls, "too_many_objects", "the refunds have more than one page")
            }
            var facts = try facts(name, object, 0)
            for refund in list.elements {
                guard refund["links"]?["payment"]?.word == question.value else {
                    throw .mismatch("payment", .tls)
                }
                facts += try self.facts("refunds", refund, 1)
            }
            return .found(InquiryFinding(facts, trust: .tls))
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    func facts(in exchange: InquiryExchange) -> [InquiryFact]? {
        for name in ["payments", "refunds"] {
            guard let value = try? exchange.answer.member(name, of: "GoCardless").value else {
                continue
            }
            let objects = value.kind == .array ? Array(value.elements) : [value]
            return objects.flatMap { (try? facts(name, $0, 0)) ?? [] }
        }
        return []
    }

    private func request(_ target: String) -> InquiryRequest {
        InquiryRequest(method: "GET", target: target, headers: GoCardless.headers(token))
    }

    // MARK: Answers

    /// Whether there may be refunds.
    private static func wasPaid(_ payment: JSONValue) -> Bool {
        ["confirmed", "paid_out", "charged_back"].contains(payment["status"]?.word)
    }

    /// The events that report the status of an object, in the order in which they happened; empty
    /// for an unknown one.
    private static func actions(_ kind: String, _ status: String?) -> [String] {
        switch (kind, status) {
        case ("payments", "pending_customer_approval"), ("payments", "pending_submission"):
            ["created"]
        case ("payments", "submitted"): ["submitted"]
        case ("payments", "confirmed"): ["confirmed"]
        case ("payments", "paid_out"): ["paid_out"]
        case ("payments", "cancelled"): ["cancelled"]
        case ("payments", "customer_approval_denied"): ["customer_approval_denied"]
        case ("payments", "failed"): ["failed"]
        // What is charged back was paid.
        case ("payments", "charged_back"): ["confirmed", "charged_back"]
        case ("refunds", "created"), ("refunds", "pending_submission"), ("refunds", "submitted"):
            ["created"]
        case ("refunds", "paid"): ["paid"]
        case ("refunds", "cancelled"), ("refunds", "bounced"), ("refunds", "failed"):
            ["failed"]
        case ("refunds", "funds_returned"): ["funds_returned"]
        default: []
        }
    }

    /// An object as the facts of events about it.
    private func facts(
        _ kind: String, _ object: JSONValue, _ exchange: Int
    ) throws(NoAnswer) -> [InquiryFact] {
        guard let id = object["id"]?.word, let minor = object["amount"]?.int64, minor >= 0,
            let currency = object["currency"]?.word.flatMap({ Currency(listed: $0) })
        else { throw .unreadable(.tls, "not_understood", "an object without its id or its sum") }
        let status = object["status"]?.word
        let money = Money(minor: minor, currency: currency)
        let known = Self.actions(kind, status)
        var facts: [InquiryFact] = []
        for action in known.isEmpty ? ["created"] : known {
            let event = Self.event(kind, action, object, id)
            var read = provider.notification(inListed: GoCardless.body(of: event[...]))
            read.effect = read.effect.having(money)
            if known.isEmpty {
                read.status = status ?? ""
                read.flags.append(.unknownStatus)
            }
            facts.append(
                InquiryFact(
                    notification: try .fact(read, identity: [kind, id, status, action], .tls),
                    exchange: exchange, key: "tls"))
        }
        return facts
    }

    /// The event that reports the action.
    private static func event(
        _ kind: String, _ action: String, _ object: JSONValue, _ id: String
    ) -> [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.member("id", id)
            json.member("created_at", object["created_at"]?.word ?? "")
            json.member("resource_type", kind)
            json.member("action", action)
            json.object("links") { json in
                if kind == "refunds" { json.member("refund", id) }
                json.member(
                    "payment", kind == "payments" ? id : object["links"]?["payment"]?.word ?? "")
            }
            // The reference is in the payment's metadata; a refund has its own.
            if kind == "payments", let metadata = object["metadata"], metadata.kind == .object {
                json.key("resource_metadata")
                json.raw(metadata.rawBytes)
            }
        }
        return json.bytes
    }
}

extension Effect {
    /// The same with the sum that an event leaves out.
    fileprivate func having(_ money: Money) -> Effect {
        switch self {
        case .attempt(let status, nil): .attempt(status, money)
        case .refund(let id, let status, nil): .refund(id: id, status, money)
        case .dispute(let id, let status, nil): .dispute(id: id, status, money)
        default: self
        }
    }
}

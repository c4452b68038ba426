import Bytes
import JSON
import Payments

/// Asks Stripe for PaymentIntents, by their id or by the order's reference in their metadata, and
/// for the refunds and disputes of those that were paid.
///
/// - **Requests:** `GET /v1/payment_intents/{id}` or `/v1/payment_intents/search`, then
///   `/v1/refunds` and `/v1/disputes`; the secret or restricted key as bearer token.
/// - **Answer:** not signed. Each object is read as the event that reports its status, by the
///   recipe's rules.
/// - **Limit:** the search finds a new PaymentIntent after a minute, in an outage after an hour
///   (documented): an order that it does not find is not known yet.
struct StripeInquirer: Inquirer {
    private let apiKey: String
    /// A key of a sandbox has only objects of the sandbox, of which refunds have no mark.
    private let isLive: Bool
    private let provider: RecipeProvider
    /// The names of the metadata that may hold the reference.
    private let metadata: [String]

    static let path = "/v1/payment_intents"
    /// Most PaymentIntents under one reference.
    static let intentsMax = 20

    /// - Throws: ``SettingsError`` without an API key or a reference in the metadata, and as
    ///   ``RecipeProvider`` does.
    init(_ recipe: Recipe, settings: EndpointSettings) throws(SettingsError) {
        apiKey = try settings.headerText(Stripe.apiKey)
        isLive = !apiKey.contains("_test_")
        provider = try RecipeProvider(recipe, settings: settings)
        let references: [String] =
            if case .texts(let pointers)? = try recipe.completed(settings)["references"] {
                pointers
            } else {
                []
            }
        metadata = references.filter { $0.hasPrefix(Self.metadataPrefix) }
            .map { String($0.dropFirst(Self.metadataPrefix.count)) }
            .filter { !$0.isEmpty && $0.utf8.allSatisfy { !"/~'\"\\".utf8.contains($0) } }
        guard !metadata.isEmpty else {
            throw SettingsError(
                key: "references",
                message: "Stripe is asked by metadata: write a pointer to one, as in "
                    + "`\(Self.metadataPrefix)order_id`")
        }
    }

    private static let metadataPrefix = "/data/object/metadata/"

    func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        let question = conversation.question
        let isByReference = question.name == .reference
        guard question.subject == .payment, isByReference || question.name == .transaction else {
            throw .unsupported(question)
        }
        do throws(NoAnswer) {
            let exchanges = conversation.exchanges
            guard let first = exchanges.first else {
                let place = isByReference ? search(question.value) : Self.place(question.value)
                return .ask(request(place))
            }
            let root = try Self.root(first.answer)
            guard !isByReference else {
                let intents = try Self.list(root, as: "search_result").filter {
                    names($0, question.value)
                }
                guard !intents.isEmpty else { throw .absent(.tls) }
                return try withDetails(intents, exchanges, from: 1)
            }
            guard root["id"]?.word == question.value else { throw .mismatch("payment", .tls) }
            guard root["object"]?.word != "payment_intent" else {
                return try withDetails([root], exchanges, from: 1)
            }
            guard let id = root["payment_intent"]?.word else { throw .absent(.tls) }
            guard exchanges.count > 1 else { return .ask(request(Self.place(id))) }
            let intent = try Self.root(exchanges[1].answer)
            guard intent["id"]?.word == id else { throw .mismatch("payment", .tls) }
            return try withDetails([intent], exchanges, from: 2)
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    /// Asks for the refunds and disputes of the PaymentIntents that were paid, and reads all.
    ///
    /// - Parameter start: Index of the first of these exchanges.
    private func withDetails(
        _ intents: [JSONValue], _ exchanges: [InquiryExchange], from start: Int
    ) throws(NoAnswer) -> InquiryStep {
        let details = intents.filter { $0["status"]?.word == "succeeded" }.flatMap { intent in
            ["refunds", "disputes"].map { (kind: $0, intent: intent) }
        }
        guard exchanges.count >= start + details.count else {
            let next = details[exchanges.count - start]
            let id = PercentEncoding.encode(Array((next.intent["id"]?.word ?? "").utf8))
            return .ask(request("/v1/\(next.kind)?payment_intent=\(id)&limit=100"))
        }
        var facts = try self.facts(intents, start - 1)
        for (index, detail) in details.enumerated() {
            let root = try Self.root(exchanges[start + index].answer)
            let objects = try Self.list(root, as: "list")
            guard
                objects.allSatisfy({
                    $0["payment_intent"]?.word == detail.intent["id"]?.word
                })
            else { throw .mismatch("payment", .tls) }
            facts += try self.facts(objects, start + index)
        }
        return .found(InquiryFinding(facts, trust: .tls))
    }

    func facts(in exchange: InquiryExchange) -> [InquiryFact]? {
        guard let root = try? Self.root(exchange.answer) else { return [] }
        let objects = root["data"].map { Array($0.elements) }
        return try? facts(objects ?? [root], 0)
    }

    // MARK: Requests

    private func request(_ target: String) -> InquiryRequest {
        InquiryRequest(
            method: "GET", target: target,
            headers: [
                Header("authorization", "Bearer \(apiKey)"), Header("accept", "application/json"),
            ])
    }

    /// The place of an object, by the prefix of its id.
    private static func place(_ id: String) -> String {
        let kind =
            switch id.prefix(while: { $0 != "_" }) {
            case "re", "pyr": "refunds"
            case "du", "dp": "disputes"
            case "ch", "py": "charges"
            default: "payment_intents"
            }
        return "/v1/\(kind)/\(PercentEncoding.encode(Array(id.utf8)))"
    }

    private func search(_ reference: String) -> String {
        let value = reference.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        let query = metadata.map { "metadata['\($0)']:'\(value)'" }.joined(separator: " OR ")
        return "\(Self.path)/search?query=\(PercentEncoding.encode(Array(query.utf8)))"
            + "&limit=\(Self.intentsMax)"
    }

    // MARK: Answers

    static func root(_ answer: InquiryAnswer) throws(NoAnswer) -> JSONValue {
        try answer.requireOK()
        return try JSONDocument.parse(answer: answer.body)
    }

    /// The objects of a list, which must be whole: a part of it would give a wrong sum.
    private static func list(
        _ root: JSONValue, as kind: String
    ) throws(NoAnswer) -> [JSONValue] {
        guard root["object"]?.word == kind, let data = root["data"], data.kind == .array else {
            throw NoAnswer(.retry, .tls, "no_answer", "the answer is no list of Stripe's")
        }
        guard root["has_more"]?.bool == false else {
            throw .unreadable(.tls, "too_many_objects", "the list has more than one page")
        }
        return Array(data.elements)
    }

    /// Whether one of its metadata is exactly the reference.
    private func names(_ intent: JSONValue, _ reference: String) -> Bool {
        metadata.contains { name in
            intent["metadata"]?.at(pointer: "/\(name)")?.utf8?.elementsEqual(reference.utf8)
                ?? false
        }
    }

    /// The event that reports the status of a PaymentIntent; nil for an unknown one.
    private static func event(of intent: JSONValue) -> String? {
        switch intent["status"]?.word {
        case "succeeded": "payment_intent.succeeded"
        case "requires_capture": "payment_intent.amount_capturable_updated"
        case "canceled": "payment_intent.canceled"
        case "requires_payment_method"
        where intent["last_payment_error"].map { !$0.isNull } == true:
            "payment_intent.payment_failed"
        case "processing", "requires_action", "requires_confirmation", "requires_payment_method":
            "payment_intent.processing"
        default: nil
        }
    }

    /// Objects as the facts of events with them.
    private func facts(
        _ objects: [JSONValue], _ exchange: Int
    ) throws(NoAnswer) -> [InquiryFact] {
        var facts: [InquiryFact] = []
        for object in objects {
            let kind = object["object"]?.word
            let type: String? =
                switch kind {
                case "refund": "refund.updated"
                case "dispute": "charge.dispute.updated"
                default: Self.event(of: object)
                }
            let status = object["status"]?.word
            let body = Stripe.event(
                "-", type ?? "payment_intent.processing", created: object["created"]?.int64 ?? 0,
                isLive: object["livemode"]?.bool ?? isLive, object: object.rawBytes)
            var read = provider.notification(inListed: body)
            if type == nil {
                read.status = status ?? ""
                read.effect = .attempt(.pending, nil)
                read.flags.append(.unknownStatus)
            }
            let identity = [kind, object["id"]?.word, status]
            facts.append(
                InquiryFact(
                    notification: try .fact(read, identity: identity, .tls), exchange: exchange,
                    key: "tls"))
        }
        return facts
    }
}

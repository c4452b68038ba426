import Bytes
import Payments

/// Asks Braintree for the transactions of an order, by their id or the order's reference, and for
/// the refunds that they name.
///
/// - **Requests:** as the official libraries send them: `GET …/transactions/{id}`; a search for
///   ids, and one for the transactions with these ids. Public and private key are user name and
///   password (RFC 7617).
/// - **Answer:** not signed.
package struct BraintreeInquirer: Inquirer {
    private let merchantID: String
    private let credentials: String
    private let currency: Currency?

    /// Most transactions under one reference, and most refunds of them: the gateway's page.
    static let idsMax = 50

    /// - Throws: ``SettingsError`` without an API key and the merchant's id.
    package init(settings: EndpointSettings) throws(SettingsError) {
        merchantID = try settings.headerText(Braintree.merchantID)
        credentials = try Self.credentials(settings)
        currency = try Braintree.currency(settings)
    }

    /// The value of `authorization`, from the first API key.
    static func credentials(_ settings: EndpointSettings) throws(SettingsError) -> String {
        let pair = try Braintree.pairs(settings)[0]
        let text = pair.publicKey + Array(":".utf8) + pair.privateKey
        return "Basic \(Base64.encode(text))"
    }

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        let question = conversation.question
        guard question.subject == .payment else { throw .unsupported(question) }
        do throws(NoAnswer) {
            switch question.name {
            case .transaction: return try byID(question, conversation.exchanges)
            case .reference: return try byReference(question, conversation.exchanges)
            case .checkout, .request: break
            }
        } catch {
            return .found(InquiryFinding(error))
        }
        throw .unsupported(question)
    }

    // MARK: Conversations

    private func byID(
        _ question: InquiryQuestion, _ exchanges: [InquiryExchange]
    ) throws(NoAnswer) -> InquiryStep {
        guard let first = exchanges.first else {
            let id = PercentEncoding.encode(Array(question.value.utf8))
            return .ask(request("GET", "/\(id)"))
        }
        let sale = try root(first.answer, "transaction")
        guard sale.word("id") == question.value, sale.word("type") == "sale" else {
            throw .mismatch("payment", .tls)
        }
        return try withRefunds([sale], known: [], exchanges, from: 1)
    }

    private func byReference(
        _ question: InquiryQuestion, _ exchanges: [InquiryExchange]
    ) throws(NoAnswer) -> InquiryStep {
        let criterion =
            "<order_id><is>\(BraintreeSender.escaped(question.value))</is></order_id>"
        guard let first = exchanges.first else {
            return .ask(search("/advanced_search_ids", criterion))
        }
        let results = try root(first.answer, "search-results")
        let ids = try Self.ids(results["ids"])
        guard !ids.isEmpty else { throw .absent(.tls) }
        guard exchanges.count > 1 else {
            return .ask(search("/advanced_search", criterion + Self.list(ids)))
        }
        let found = try transactions(exchanges[1].answer, ids)
        guard found.allSatisfy({ $0.word("order-id") == question.value }) else {
            throw .mismatch("reference", .tls)
        }
        let sales = found.filter { $0.word("type") == "sale" }
        // Only refunds, which may have any reference of the merchant's.
        guard !sales.isEmpty else { throw .absent(.tls) }
        return try withRefunds(sales, known: found, exchanges, from: 2)
    }

    /// Asks for refunds of `sales` that are not among those `known`, and reads all.
    ///
    /// - Parameter next: Index of the exchange in which these refunds are asked for.
    private func withRefunds(
        _ sales: [BraintreeXML], known: [BraintreeXML], _ exchanges: [InquiryExchange],
        from next: Int
    ) throws(NoAnswer) -> InquiryStep {
        let listed = known.filter { $0.word("type") == "credit" }
        var fetched: [BraintreeXML] = []
        var missing: [String] = []
        for sale in sales {
            missing += try Self.ids(sale["refund-ids"]).filter { id in
                !listed.contains { $0.word("id") == id }
            }
        }
        guard missing.count <= Self.idsMax else { throw Self.tooMany }
        if !missing.isEmpty {
            guard exchanges.count > next else {
                return .ask(search("/advanced_search", Self.list(missing)))
            }
            fetched = try transactions(exchanges[next].answer, missing)
        }
        let parents = sales.compactMap { $0.word("id") }
        var facts: [InquiryFact] = []
        // Each fact is recorded with the answer that has it.
        for (index, transactions) in [(next - 1, sales + listed), (next, fetched)]
        where !transactions.isEmpty {
            // A refund of another order has our reference.
            facts += try self.facts(transactions, exchanges[index].answer, index).filter {
                $0.notification.transaction.map(parents.contains) == true
            }
        }
        return .found(InquiryFinding(facts, trust: .tls))
    }

    package func facts(in exchange: InquiryExchange) -> [InquiryFact]? {
        let root = BraintreeXML.parse(
            exchange.answer.body, elementsMax: BraintreeXML.answerElementsMax)
        guard let root else { return [] }
        let transactions = root.name == "transaction" ? [root] : Self.transactions(of: root)
        return try? facts(transactions, exchange.answer, 0)
    }

    private func facts(
        _ transactions: [BraintreeXML], _ answer: InquiryAnswer, _ exchange: Int
    ) throws(NoAnswer) -> [InquiryFact] {
        var facts: [InquiryFact] = []
        for transaction in transactions {
            let reading = BraintreeInterpretation(
                root: transaction, signed: answer.body, currency: currency)
            for fact in reading.facts {
                let identity = [
                    fact.kind, fact.effect.id ?? fact.transaction, fact.status,
                    transaction.word("updated-at"),
                ]
                facts.append(
                    InquiryFact(
                        notification: try .fact(fact, identity: identity, .tls),
                        exchange: exchange, key: "tls"))
            }
        }
        return facts
    }

    // MARK: Requests

    /// The path of all transactions of a merchant.
    static func path(_ merchantID: String) -> String {
        "/merchants/\(PercentEncoding.encode(Array(merchantID.utf8)))/transactions"
    }

    private func request(_ method: String, _ place: String, body: String = "") -> InquiryRequest {
        var headers = [
            Header("accept", "application/xml"), Header("authorization", credentials),
            Header("x-apiversion", "6"),
        ]
        if !body.isEmpty { headers.append(Header("content-type", "application/xml")) }
        return InquiryRequest(
            method: method, target: Self.path(merchantID) + place, headers: headers,
            body: Array(body.utf8))
    }

    private func search(_ place: String, _ criteria: String) -> InquiryRequest {
        request("POST", place, body: "<search>\(criteria)</search>")
    }

    private static func list(_ ids: [String]) -> String {
        let items = ids.map { "<item>\(BraintreeSender.escaped($0))</item>" }.joined()
        return "<ids type=\"array\">\(items)</ids>"
    }

    // MARK: Answers

    private static let tooMany = NoAnswer.unreadable(
        .tls, "too_many_transactions", "more than \(idsMax) transactions, a page of the gateway")

    /// The root of an answer, which must have this name.
    private func root(_ answer: InquiryAnswer, _ name: StaticString) throws(NoAnswer)
        -> BraintreeXML
    {
        switch answer.status {
        case 200...299: break
        case 404: throw .absent(.tls)
        case 429, 500...: throw .status(.retry, .none, answer.status)
        default: throw .status(.denied, .tls, answer.status)
        }
        let root = BraintreeXML.parse(answer.body, elementsMax: BraintreeXML.answerElementsMax)
        guard let root, root.name.utf8.elementsEqual("\(name)".utf8) else {
            throw NoAnswer(.retry, .none, "no_answer", "the answer is not Braintree's XML")
        }
        return root
    }

    private static func ids(_ list: BraintreeXML?) throws(NoAnswer) -> [String] {
        let ids = list?.children.compactMap { $0.word() } ?? []
        guard ids.count <= idsMax else { throw tooMany }
        return ids
    }

    /// The transactions of an answer, which must be those with these ids: a part of them would give
    /// a wrong sum.
    private func transactions(
        _ answer: InquiryAnswer, _ ids: [String]
    ) throws(NoAnswer) -> [BraintreeXML] {
        let found = Self.transactions(of: try root(answer, "credit-card-transactions"))
        guard found.map({ $0.word("id") ?? "" }).sorted() == ids.sorted() else {
            throw .mismatch("payment", .tls)
        }
        return found
    }

    private static func transactions(of root: BraintreeXML) -> [BraintreeXML] {
        root.children.filter { $0.name == "transaction" }
    }
}

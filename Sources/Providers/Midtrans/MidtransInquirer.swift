import Bytes
import JSON
import Payments

/// Asks Midtrans for the status of a transaction, by its id or the order's reference.
///
/// - **Request:** `GET /v2/…/status`, with the server key as the user name (RFC 7617).
/// - **Answer:** the members of a notification. `signature_key`, over the same three values, must
///   be right where it is there; the connection's certificate proves the rest. The status is in
///   `status_code`, also that an order is not known: its customer may not have chosen a method yet.
package struct MidtransInquirer: Inquirer {
    private let midtrans: Midtrans
    private let credentials: String

    /// - Throws: ``SettingsError`` as ``Midtrans`` does, and without a server key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        midtrans = try Midtrans(settings: settings)
        credentials = Self.credentials(try settings.headerText(Midtrans.serverKey))
    }

    /// The value of `authorization`.
    static func credentials(_ serverKey: String) -> String {
        "Basic \(Base64.encode(Array("\(serverKey):".utf8)))"
    }

    static let path = (start: "/v2/", end: "/status")

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        let question = conversation.question
        guard let exchange = conversation.exchanges.last else {
            guard question.subject == .payment,
                [.reference, .transaction].contains(question.name)
            else { throw .unsupported(question) }
            let id = PercentEncoding.encode(Array(question.value.utf8))
            return .ask(
                InquiryRequest(
                    method: "GET", target: "\(Self.path.start)\(id)\(Self.path.end)",
                    headers: [
                        Header("accept", "application/json"), Header("authorization", credentials),
                    ]))
        }
        do throws(NoAnswer) {
            return .found(InquiryFinding(try facts(exchange.answer, question), trust: .tls))
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    private func facts(
        _ answer: InquiryAnswer, _ question: InquiryQuestion
    ) throws(NoAnswer) -> [InquiryFact] {
        switch answer.status {
        case 200...299: break
        case 404: throw .absent(.tls)
        case 429, 500...: throw .status(.retry, .none, answer.status)
        default: throw .status(.denied, .tls, answer.status)
        }
        let root = try JSONDocument.parse(answer: answer.body)
        let code = root["status_code"]?.word ?? ""
        guard root["transaction_status"] != nil else {
            switch code {
            case "404": throw .absent(.tls)
            case "401", "402", "403":
                throw NoAnswer(.denied, .tls, "refused", "Midtrans says \(code)")
            default:
                throw NoAnswer(.retry, .tls, "no_answer", "the answer has no transaction_status")
            }
        }
        let asked = question.name == .reference ? "order_id" : "transaction_id"
        guard root[asked]?.word == question.value else { throw .mismatch("payment", .tls) }
        let refusal = midtrans.refusal(of: answer.body)
        guard root["signature_key"] == nil || refusal == nil else {
            throw NoAnswer(
                .untrusted, .none, refusal?.reason ?? "signature_mismatch", refusal?.detail ?? "")
        }
        let reading = MidtransInterpretation(root: root, body: answer.body)
        var facts: [InquiryFact] = []
        for fact in reading.facts {
            let identity = [fact.kind, root["transaction_id"]?.word, fact.effect.id, fact.status]
            facts.append(
                InquiryFact(
                    notification: try .fact(fact, identity: identity, .tls), exchange: 0,
                    key: "tls"))
        }
        return facts
    }
}

extension Midtrans {
    /// Why the signature in an answer does not hold; nil if it does.
    fileprivate func refusal(of body: [UInt8]) -> Refusal? {
        do throws(Refusal) {
            _ = try verify(
                SignedRequest(
                    path: [], headers: [], body: body, received: Timestamp(microseconds: 0)))
            return nil
        } catch {
            return error
        }
    }
}

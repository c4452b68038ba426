import Bytes
import JSON
import Payments

/// Asks Square for a payment by its id, and for its refunds.
///
/// - **Requests:** `GET /v2/payments/{id}`, then `/v2/refunds/{id}` for each of its `refund_ids`;
///   the access token as bearer token. Square offers no search by the merchant's reference.
/// - **Answer:** not signed. Each object is read as the event that reports its status, by the
///   recipe's rules. Disputes are not in it.
struct SquareInquirer: Inquirer {
    private let token: String
    private let provider: RecipeProvider

    static let payments = "/v2/payments/"
    static let refunds = "/v2/refunds/"
    /// More than any payment has.
    private static let refundsMax = 50

    /// - Throws: ``SettingsError`` without an access token, and as ``RecipeProvider`` does.
    init(_ recipe: Recipe, settings: EndpointSettings) throws(SettingsError) {
        token = try settings.headerText(Square.accessToken)
        provider = try RecipeProvider(recipe, settings: settings)
    }

    func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        let question = conversation.question
        guard question.name == .transaction, Square.isID(question.value) else {
            throw .unsupported(question)
        }
        let isRefund = question.subject == .refund
        let exchanges = conversation.exchanges
        guard let first = exchanges.first else {
            return .ask(request((isRefund ? Self.refunds : Self.payments) + question.value))
        }
        do throws(NoAnswer) {
            let name = isRefund ? "refund" : "payment"
            let object = try Self.object(name, question.value, first.answer)
            var facts = [try fact(name, object, 0)]
            guard !isRefund else { return .found(InquiryFinding(facts, trust: .tls)) }
            let refunds = try Self.refundIDs(of: object)
            for (index, id) in refunds.enumerated() {
                guard exchanges.count > index + 1 else { return .ask(request(Self.refunds + id)) }
                let refund = try Self.object("refund", id, exchanges[index + 1].answer)
                guard refund["payment_id"]?.word == question.value else {
                    throw .mismatch("payment", .tls)
                }
                facts.append(try fact("refund", refund, index + 1))
            }
            return .found(InquiryFinding(facts, trust: .tls))
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    func facts(in exchange: InquiryExchange) -> [InquiryFact]? {
        for name in ["payment", "refund"] {
            guard let object = try? exchange.answer.member(name, of: "Square").value else {
                continue
            }
            guard let fact = try? fact(name, object, 0) else { return [] }
            return [fact]
        }
        return []
    }

    private func request(_ target: String) -> InquiryRequest {
        Square.request("GET", target, token: token)
    }

    // MARK: Answers

    private static func object(
        _ name: String, _ id: String, _ answer: InquiryAnswer
    ) throws(NoAnswer) -> JSONValue {
        let object = try answer.member(name, of: "Square").value
        guard object["id"]?.word == id else { throw .mismatch(name, .tls) }
        return object
    }

    /// The ids of its refunds: of all, because a part of them would be a wrong sum.
    private static func refundIDs(of payment: JSONValue) throws(NoAnswer) -> [String] {
        let ids = payment["refund_ids"]?.elements.map { $0.word ?? "" } ?? []
        guard ids.count <= refundsMax else {
            throw .unreadable(.tls, "too_many_objects", "more than \(refundsMax) refunds")
        }
        guard ids.allSatisfy(Square.isID) else {
            throw .unreadable(.tls, "not_understood", "a refund without an id")
        }
        return ids
    }

    /// An object as the fact of an event about it.
    private func fact(
        _ kind: String, _ object: JSONValue, _ exchange: Int
    ) throws(NoAnswer) -> InquiryFact {
        let id = object["id"]?.word ?? ""
        let read = provider.notification(inListed: Self.event(kind, id, object))
        // A tip changes a payment's sum, and a refund its refunded one, with no other status.
        let sums = [read.effect.amount, read.refundedAtLeast].map { $0?.decimal }
        return InquiryFact(
            notification: try .fact(
                read, identity: [kind, id, object["status"]?.word] + sums, .tls),
            exchange: exchange, key: "tls")
    }

    /// The event that reports an object.
    private static func event(_ kind: String, _ id: String, _ object: JSONValue) -> [UInt8] {
        JSONWriter.object(reserving: object.rawBytes.count + 256) { json in
            json.member("type", "\(kind).updated")
            json.member("event_id", id)
            json.member(
                "created_at",
                (object["updated_at"] ?? object["created_at"])?.word ?? "")
            json.object("data") { json in
                json.member("type", kind)
                json.member("id", id)
                json.object("object") { json in
                    json.key(kind)
                    json.raw(object.rawBytes)
                }
            }
        }
    }
}

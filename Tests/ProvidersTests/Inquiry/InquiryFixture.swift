import Bytes
import Cryptography
import JSON
import Payments
import Testing

@testable import Providers

/// A merchant who asks, and a provider who answers whatever a test wants.
struct InquiryFixture {
    let system: String
    let inquirer: any Inquirer
    let settings: EndpointSettings

    static let moment = Timestamp(microseconds: 1_790_000_000_000_000)
    static let merchantKey = try? RSAPrivateKey.generate()
    static let antomKey = try? RSAPrivateKey.generate()
    static let secret = Array("project-secret".utf8)
    static let entity = String(repeating: "e", count: 32)

    init(_ system: String, entityIDs: [String] = [entity]) throws {
        self.system = system
        let secret = system == "opp" ? Array(String(repeating: "0", count: 64).utf8) : Self.secret
        let key = try #require(Self.antomKey).publicKeyBase64DER
        settings = EndpointSettings(
            name: system,
            [
                "clientID": "CLIENT", "secrets": .secrets([secret]), "projectID": "115",
                "keys": .keys([VersionedKey(version: 1, text: key)]),
            ],
            inquiry: [
                "privateKey": .text(
                    system == "antom" ? try #require(Self.merchantKey).pem : "sk-private"),
                "token": "opp-token", "entityIDs": .texts(entityIDs),
            ])
        inquirer = try #require(ProviderRegistry.all[system]?.inquiry).make(settings)
    }

    /// What `bodies` mean as the answers to a question for `R-1`, signed where the system signs.
    func finding(
        _ bodies: [String], status: Int = 200, question: InquiryQuestion? = nil,
        answered: Timestamp = moment, isSigned: Bool = true
    ) throws -> InquiryFinding {
        var conversation = InquiryConversation(question ?? InquiryQuestion(by: .reference, "R-1"))
        if system == "citcon-upi" {
            conversation.token = InquiryToken("t", expires: Timestamp(microseconds: .max))
        }
        for body in bodies {
            guard case .ask(let request) = try inquirer.next(conversation, now: Self.moment) else {
                break
            }
            conversation.append(
                InquiryExchange(
                    request,
                    try answer(
                        body, to: request, status: status, answered: answered, isSigned: isSigned)))
        }
        // A token that was refused is fetched anew; here nobody answers that.
        guard case .found(let finding) = try inquirer.next(conversation, now: Self.moment) else {
            return InquiryFinding(.status(.denied, .none, status))
        }
        return finding
    }

    func finding(_ body: String, status: Int = 200) throws -> InquiryFinding {
        try finding([body], status: status)
    }

    private func answer(
        _ body: String, to request: InquiryRequest, status: Int, answered: Timestamp,
        isSigned: Bool
    ) throws -> InquiryAnswer {
        var headers = [Header("content-type", "application/json")]
        var bytes = Array(body.utf8)
        if system == "antom", isSigned {
            let time = answered.rfc3339
            let content = "POST \(request.target)\nCLIENT.\(time).\(body)"
            let signature = try #require(Self.antomKey).signSHA256(Array(content.utf8))
            let value = PercentEncoding.encode(Array(Base64.encode(signature).utf8))
            headers += [
                Header("client-id", "CLIENT"), Header("response-time", time),
                Header("signature", "algorithm=RSA256,keyVersion=1,signature=\(value)"),
            ]
        }
        if system == "ecommpay", isSigned, let document = try? JSONDocument(parsing: bytes),
            document.root.kind == .object
        {
            let text = EcommpayText.text(try EcommpayLeaves(of: document.root), order: .natural)
            let code = HMAC.code(.sha512, key: Self.secret, message: text)
            bytes.removeLast()
            bytes += Array(",\"signature\":\"\(Base64.encode(code))\"}".utf8)
        }
        return InquiryAnswer(
            status: status, headers: headers, body: bytes, received: Self.moment)
    }

    /// An answer that says that `R-1` was paid with 42.00 under the transaction `T-1`.
    ///
    /// - Parameter status: The provider's word in place of its word for paid.
    static func paid(
        _ system: String, reference: String = "R-1", status: String? = nil, amount: Int = 4200
    ) -> String {
        switch system {
        case "antom":
            #"{"result":{"resultStatus":"S","resultCode":"SUCCESS"},"paymentStatus":""#
                + (status ?? "SUCCESS") + #"","paymentRequestId":""# + reference
                + #"","paymentId":"T-1","paymentAmount":{"currency":"EUR","value":"\#(amount)"}}"#
        case "citcon-upi":
            #"{"status":"success","data":{"object":"charge","id":"T-1","reference":""# + reference
                + #"","amount":\#(amount),"currency":"EUR","status":""#
                + (status ?? "succeeded") + #""}}"#
        case "citcon-pay":
            #"{"id":"T-1","type":"charge","amount":"\#(amount)","currency":"EUR","reference":""#
                + reference + #"","status":""# + (status ?? "success") + #""}"#
        case "ecommpay":
            #"{"project_id":115,"payment":{"id":""# + reference
                + #"","type":"purchase","status":""# + (status ?? "success")
                + #"","sum":{"amount":\#(amount),"currency":"EUR"}},"operations":[{"id":7,"#
                + #""type":"sale","status":""# + (status ?? "success")
                + #"","sum_initial":{"amount":\#(amount),"currency":"EUR"}}]}"#
        default:
            #"{"result":{"code":"000.000.100"},"payments":[{"id":"T-1","paymentType":"DB","#
                + #""amount":"\#(amount / 100).\#(amount % 100 / 10)\#(amount % 10)","#
                + #""currency":"EUR","merchantTransactionId":""# + reference
                + #"","result":{"code":""# + (status ?? "000.000.000") + #""}}]}"#
        }
    }
}

import Bytes
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// A merchant that asks a provider, and the answers that a test chooses.
struct InquiryFixture {
    let fixture: ProviderFixture
    let inquiry: ProviderFixture.Inquiry
    let inquirer: any Inquirer
    let settings: EndpointSettings

    static let moment = Timestamp(microseconds: 1_790_000_000_000_000)
    static let entity = String(repeating: "e", count: 32)

    init(_ fixture: ProviderFixture, entityIDs: [String]? = nil) throws {
        self.fixture = fixture
        inquiry = try #require(fixture.inquiry)
        var settings = fixture.endpoint.settings
        if let entityIDs { settings["entityIDs", .inquiry] = .texts(entityIDs) }
        self.settings = settings
        inquirer = try #require(fixture.descriptor.inquiry).make(settings)
    }

    /// The fixture of the provider with this name.
    init(_ name: String, entityIDs: [String]? = nil) throws {
        try self.init(#require(ProviderFixture.named(name)), entityIDs: entityIDs)
    }

    /// Returns the finding of `bodies` as the answers to a question for `R-1`, signed where the
    /// provider signs its answers.
    func finding(
        _ bodies: [String], status: Int = 200, question: InquiryQuestion? = nil,
        answered: Timestamp = moment, isSigned: Bool = true
    ) throws -> InquiryFinding {
        var conversation = InquiryConversation(question ?? InquiryQuestion(by: .reference, "R-1"))
        if inquiry.usesToken {
            conversation.token = InquiryToken("t", expires: Timestamp(microseconds: .max))
        }
        for body in bodies {
            guard case .ask(let request) = try inquirer.next(conversation, now: Self.moment) else {
                break
            }
            conversation.append(
                InquiryExchange(
                    request,
                    answer(
                        body, to: request, status: status, answered: answered, isSigned: isSigned)))
        }
        // After a refused token the inquirer fetches another one, which has no answer here.
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
    ) -> InquiryAnswer {
        var answer = ProviderFixture.Answer(
            request: request, time: answered, headers: [Header("content-type", "application/json")],
            body: Array(body.utf8))
        if isSigned { inquiry.sign?(&answer) }
        return InquiryAnswer(
            status: status, headers: answer.headers, body: answer.body, received: Self.moment)
    }

    /// An answer that reports that `R-1` was paid with 42.00 under the transaction `T-1`.
    ///
    /// - Parameter status: The provider's word in place of its word for paid.
    func paid(reference: String = "R-1", status: String? = nil, amount: Int = 4200) -> String {
        inquiry.paid(reference, status ?? inquiry.paidWord, amount)
    }

    static func paid(_ name: String) throws -> String { try InquiryFixture(name).paid() }
}

extension ProviderFixture {
    /// The providers that can be asked about a payment.
    static let inquired = all.filter { $0.inquiry != nil }
}

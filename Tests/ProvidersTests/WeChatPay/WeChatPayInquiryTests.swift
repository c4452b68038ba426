import Bytes
import Cryptography
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Questions to WeChat Pay, and its answers.
@Suite struct WeChatPayInquiryTests {
    private let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private let settings = ProviderFixture.wechatPay.endpoint.settings
    private let inquirer: WeChatPayInquirer
    private let responder: WeChatPayResponder

    init() throws {
        inquirer = try WeChatPayInquirer(settings: settings)
        responder = try WeChatPayResponder(settings: settings)
    }

    private func life(_ types: [EventType]) -> SampleLife {
        SampleLife(
            reference: "R/1",
            events: types.enumerated().map { number, type in
                SampleEvent(
                    type: type, reference: "R/1", transaction: "T", money: Money.of(4200, "CNY"),
                    occurred: now, number: number + 1)
            })
    }

    private func request(_ question: InquiryQuestion) throws -> InquiryRequest {
        guard case .ask(let request) = try inquirer.next(InquiryConversation(question), now: now)
        else { throw Unexpected() }
        return request
    }

    private func finding(
        _ question: InquiryQuestion, _ answer: (InquiryRequest) throws -> InquiryAnswer
    ) throws -> InquiryFinding {
        let request = try request(question)
        var conversation = InquiryConversation(question)
        conversation.append(InquiryExchange(request, try answer(request)))
        guard case .found(let finding) = try inquirer.next(conversation, now: now) else {
            throw Unexpected()
        }
        return finding
    }

    private func ask(_ question: InquiryQuestion, _ life: SampleLife?) throws -> InquiryFinding {
        try finding(question) { request in
            #expect(responder.serves(request))
            return responder.answer(request, at: ResponderMoment(now: now)) { _, value in
                [life?.reference, "T"].contains(value) ? life : nil
            }
        }
    }

    /// The inquirer took another step.
    private struct Unexpected: Error {}

    private let byReference = InquiryQuestion(by: .reference, "R/1")

    /// An answer in WeChat Pay's name.
    private func signed(
        _ status: Int, _ body: String, _ change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> InquiryAnswer {
        let key = try RSAPrivateKey(pem: try #require(settings[SettingRow.senderKey]))
        var bytes = Array(body.utf8)
        let headers = try #require(
            WeChatPaySender.headers(bytes, at: now, nonce: "N", "PUB_KEY_ID_1", key))
        change(&bytes)
        return InquiryAnswer(status: status, headers: headers, body: bytes, received: now)
    }

    @Test func `a payment is asked by reference and by transaction`() throws {
        let life = life([.paid])
        for question in [byReference, InquiryQuestion(by: .transaction, "T")] {
            let finding = try ask(question, life)
            #expect(finding.verdict == .answered && finding.trust == .signature, "\(finding)")
            let fact = try #require(finding.facts.first)
            #expect(finding.facts.count == 1 && fact.key == "PUB_KEY_ID_1")
            #expect(fact.notification.effect == .attempt(.paid, Money.of(4200, "CNY")))
            #expect(fact.notification.reference == "R/1" && fact.notification.transaction == "T")
            #expect(fact.notification.id == "inquiry:payment:T:SUCCESS")
        }
    }

    @Test func `a refund is asked by the merchant's number`() throws {
        let life = life([.paid, .refunded])
        let finding = try ask(InquiryQuestion(.refund, by: .reference, "R/1-R2"), life)
        let fact = try #require(finding.facts.first?.notification)
        let event = life.events[1]
        #expect(fact.effect == .refund(id: event.actionID, .succeeded, Money.of(4200, "CNY")))
        #expect(fact.transaction == "T" && fact.alias == "R/1-R2")
        // The payment's own answer says that there are refunds, and not which.
        let payment = try #require(try ask(byReference, life).facts.first?.notification)
        #expect(payment.refundedAtLeast == Money.of(1, "CNY"))
        #expect(throws: InquiryError.self) {
            try request(InquiryQuestion(.refund, by: .transaction, "F"))
        }
    }

    @Test(arguments: [
        (EventType.pending, AttemptStatus.pending), (.failed, .failed), (.canceled, .canceled),
        (.expired, .expired),
    ])
    func `what is never notified is answered`(_ type: EventType, _ status: AttemptStatus) throws {
        let fact = try #require(try ask(byReference, life([type])).facts.first?.notification)
        #expect(fact.effect == .attempt(status, Money.of(4200, "CNY")))
        #expect(fact.reference == "R/1" && fact.transaction == nil)
    }

    /// An answer about an order without a payment names no transaction.
    @Test func `a payment that was asked about before it began is paid`() throws {
        var order = Order()
        for type in [EventType.pending, .paid] {
            for fact in try ask(byReference, life([type])).facts {
                order.apply(fact.notification, factsMax: 256)
            }
        }
        #expect(order.status == .paid && order.flags.isEmpty, "\(order)")
        #expect(order.summary.captured == Money.of(4200, "CNY"))
    }

    @Test func `the question is signed as documented`() throws {
        let request = try request(byReference)
        #expect(
            request.target == "/v3/pay/transactions/out-trade-no/R%2F1?mchid=1900000109")
        let header = try #require(request.headers.first { $0.isNamed("authorization") })
        let value = String(decoding: header.value, as: UTF8.self)
        #expect(value.hasPrefix(#"WECHATPAY2-SHA256-RSA2048 mchid="1900000109",nonce_str=""#))
        #expect(value.contains(#"serial_no="5157F09EFDC096DE15EBE81A47057A7232F1B8E1""#))
        #expect(request.headers.contains(Header("wechatpay-serial", "PUB_KEY_ID_1")))
        #expect(request.recordedHeaders.allSatisfy { !$0.isNamed("authorization") })
    }

    @Test func `an unknown order is no fact, and another account is told nothing`() throws {
        #expect(try ask(byReference, nil).verdict == .absent)
        let stranger = try WeChatPayResponder(
            settings: ProviderFixture.wechatPay.endpoint.foreign)
        let finding = try finding(byReference) {
            stranger.answer($0, at: ResponderMoment(now: now)) { _, _ in life([.paid]) }
        }
        #expect(finding.verdict == .denied && finding.facts.isEmpty, "\(finding)")
    }

    private static let paid =
        #"{"out_trade_no":"R/1","transaction_id":"T","trade_state":"SUCCESS","#
        + #""amount":{"total":4200}}"#

    @Test func `only a signed answer about the same payment is read`() throws {
        #expect(
            try finding(byReference) { _ in try signed(200, Self.paid) }.verdict == .answered)
        // Unsigned, changed, about another one, twice the same name, no payment.
        let cases: [(InquiryAnswer, InquiryVerdict)] = [
            (
                InquiryAnswer(
                    status: 200, headers: [], body: Array(Self.paid.utf8), received: now),
                .untrusted
            ),
            (try signed(200, Self.paid) { $0.append(0x20) }, .untrusted),
            (try signed(200, Self.paid.replacing("R/1", with: "R/2")), .untrusted),
            (try signed(200, #"{"a":1,"a":2}"#), .unreadable),
            (try signed(200, #"{"code":"SUCCESS"}"#), .untrusted),
            (try signed(200, Self.paid.replacing("4200", with: "null")), .unreadable),
            (try signed(404, #"{"code":"NOT_FOUND"}"#), .denied),
            (try signed(404, #"{"code":"ORDER_NOT_EXIST"}"#) { $0.append(0x20) }, .untrusted),
            (try signed(429, #"{"code":"FREQUENCY_LIMITED"}"#), .retry),
            (InquiryAnswer(status: 502, headers: [], body: [], received: now), .retry),
        ]
        for (answer, verdict) in cases {
            let finding = try finding(byReference) { _ in answer }
            #expect(finding.verdict == verdict && finding.facts.isEmpty, "\(finding)")
        }
    }
}

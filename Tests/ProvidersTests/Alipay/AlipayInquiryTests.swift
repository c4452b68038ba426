import Bytes
import Cryptography
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Questions to Alipay, and its answers.
@Suite struct AlipayInquiryTests {
    private let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private let settings = ProviderFixture.alipay.endpoint.settings
    private let inquirer: AlipayInquirer

    init() throws { inquirer = try AlipayInquirer(settings: settings) }

    /// The inquirer took another step.
    private struct Unexpected: Error {}

    private let byReference = InquiryQuestion(by: .reference, "R")

    private func finding(
        _ question: InquiryQuestion, status: Int = 200, _ answer: String
    ) throws -> InquiryFinding {
        var conversation = InquiryConversation(question)
        guard case .ask(let request) = try inquirer.next(conversation, now: now) else {
            throw Unexpected()
        }
        conversation.append(
            InquiryExchange(
                request,
                InquiryAnswer(
                    status: status, headers: [], body: Array(answer.utf8), received: now)))
        guard case .found(let finding) = try inquirer.next(conversation, now: now) else {
            throw Unexpected()
        }
        return finding
    }

    /// An answer in Alipay's name.
    private func signed(_ response: String) throws -> String {
        let key = try RSAPrivateKey(pem: try #require(settings[SettingRow.senderKey]))
        let sign = Base64.encode(try key.signSHA256(Array(response.utf8)))
        return #"{"alipay_trade_query_response":\#(response),"sign":"\#(sign)"}"#
    }

    private func trade(_ status: String, _ more: String = "") -> String {
        #"{"code":"10000","out_trade_no":"R","trade_no":"T","trade_status":"\#(status)","#
            + #""total_amount":"42.00"\#(more)}"#
    }

    private let paidAt = #","send_pay_date":"2026-03-10 11:22:33""#

    @Test func `a trade is read as a notification of it`() throws {
        let yuan = Money.of(4200, "CNY")
        for question in [byReference, InquiryQuestion(by: .transaction, "T")] {
            let found = try finding(question, signed(trade("TRADE_SUCCESS", paidAt)))
            #expect(found.verdict == .answered && found.trust == .signature, "\(found)")
            let fact = try #require(found.facts.first)
            #expect(found.facts.count == 1 && fact.key == "1")
            #expect(fact.notification.effect == .attempt(.paid, yuan))
            #expect(fact.notification.reference == "R" && fact.notification.transaction == "T")
        }
        let closed = try finding(byReference, signed(trade("TRADE_CLOSED", paidAt)))
        let order = closed.facts.reduce(Order()) { $0.applying($1.notification) }
        #expect(order.status == .refunded && order.refunded == yuan, "\(order)")
        let expired = try finding(byReference, signed(trade("TRADE_CLOSED")))
        #expect(expired.facts.map(\.notification.effect) == [.attempt(.expired, yuan)])
        let dollars = try finding(
            byReference, signed(trade("TRADE_SUCCESS", #","trans_currency":"USD""#)))
        #expect(dollars.facts.first?.notification.effect.amount == Money.of(4200, "USD"))
    }

    @Test func `only a signed answer about the same trade is read`() throws {
        let paid = trade("TRADE_SUCCESS", paidAt)
        let genuine = try signed(paid)
        for (answer, verdict) in [
            (genuine.replacing("42.00", with: "43.00"), .untrusted),
            (#"{"alipay_trade_query_response":\#(paid)}"#, .untrusted),
            (#"{"alipay_trade_query_response":\#(paid),"sign":"?"}"#, .untrusted),
            (try signed(paid.replacing(#""R""#, with: #""R-2""#)), .untrusted),
            (try signed(paid.replacing("42.00", with: "42,00")), .unreadable),
            (try signed(paid.replacing("}", with: #","trans_currency":"XXQ"}"#)), .unreadable),
            (#"{"a":1,"a":2}"#, .unreadable), ("<html>", .retry), ("{}", .retry),
        ] as [(String, InquiryVerdict)] {
            let found = try finding(byReference, answer)
            #expect(found.verdict == verdict && found.facts.isEmpty, "\(answer) \(found)")
        }
        for (status, verdict) in [(429, .retry), (502, .retry), (403, .denied)]
            as [(Int, InquiryVerdict)]
        {
            #expect(try finding(byReference, status: status, genuine).verdict == verdict)
        }
    }

    @Test func `a refusal says why, and an unknown trade has not failed`() throws {
        func refusal(_ code: String) -> String {
            #"{"code":"40004","msg":"Business Failed","sub_code":"\#(code)"}"#
        }
        #expect(
            try finding(byReference, signed(refusal("ACQ.TRADE_NOT_EXIST"))).verdict == .absent)
        #expect(try finding(byReference, signed(refusal("ACQ.SYSTEM_ERROR"))).verdict == .retry)
        #expect(try finding(byReference, signed(refusal("isv.invalid-app-id"))).verdict == .denied)
        let error = #"{"error_response":{"code":"40002","sub_code":"isv.invalid-signature"}}"#
        #expect(try finding(byReference, error).verdict == .denied)
        #expect(throws: InquiryError.self) {
            try inquirer.next(
                InquiryConversation(InquiryQuestion(.refund, by: .reference, "F")), now: now)
        }
    }
}

import Bytes
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Cases that the vectors of Midtrans leave out.
@Suite struct MidtransTests {
    private let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private let settings = ProviderFixture.midtrans.endpoint.settings

    private func delivery(
        _ status: String, _ code: String = "200", order: String = "R", gross: String = "42.00",
        _ more: String = ""
    ) -> SignedRequest {
        let signed = [order, code, gross].map { Array($0.utf8)[...] }
        let signature = String(
            decoding: Midtrans.signature(of: signed, settings.secrets[0]), as: UTF8.self)
        let body =
            #"{"transaction_status":"\#(status)","transaction_id":"T","status_code":"\#(code)","#
            + #""order_id":"\#(order)","gross_amount":"\#(gross)","currency":"USD","#
            + #""signature_key":"\#(signature)"\#(more)}"#
        return SignedRequest(
            path: [], headers: [], body: Array(body.utf8),
            received: now)
    }

    private func read(
        _ delivery: SignedRequest, isAsked: Bool = false
    ) throws -> [Notification] {
        var settings = settings
        if isAsked { settings[Midtrans.serverKey] = "SB-Mid-server-first" }
        let provider = try Midtrans(settings: settings)
        return provider.notifications(in: try provider.verify(delivery).evidence)
    }

    @Test func `a word that the signed code contradicts is not believed`() throws {
        for (status, code) in [
            ("settlement", "201"), ("capture", "202"), ("authorize", "407"), ("refund", "201"),
            ("chargeback", "201"),
        ] {
            let read = try read(delivery(status, code))
            #expect(
                read.map(\.effect) == [.doubt] && read[0].flags == [.unsignedClaim], "\(status)")
            #expect(read[0].reference == "R" && read[0].transaction == "T")
        }
        #expect(
            try read(delivery("settlement")).map(\.effect) == [
                .attempt(.paid, Money.of(4200, "USD"))
            ])
    }

    @Test func `values of another form are refused, though they are signed`() throws {
        let provider = try Midtrans(settings: settings)
        for (code, gross) in [
            ("2001", "42.00"), ("500", "42.00"), ("200", "042.00"), ("200", "42.0"), ("200", "42"),
            ("200", ".42"), ("200", "4a.00"),
        ] {
            let refusal = provider.refusal(delivery("settlement", code, gross: gross))
            #expect(refusal?.reason == "signed_value_ambiguous", "\(code) \(gross)")
        }
        #expect(provider.refusal(delivery("settlement", gross: "0.50")) == nil)
    }

    @Test func `another merchant is refused`() throws {
        let provider = try Midtrans(settings: settings)
        let other = delivery("settlement", "200", #","merchant_id":"G9""#)
        #expect(provider.refusal(other)?.reason == "client_id_mismatch")
        let own = delivery("settlement", "200", #","merchant_id":"G000000001""#)
        #expect(provider.refusal(own) == nil)
    }

    @Test func `a success waits for an answer where Midtrans is asked`() throws {
        let paid = try read(delivery("settlement"), isAsked: true)
        #expect(paid[0].flags == [.unconfirmed] && paid[0].status == "unconfirmed")
        #expect(Order().applying(paid[0]).status == .pending)
        #expect(try read(delivery("deny", "202"), isAsked: true)[0].flags.isEmpty)
    }

    @Test func `undocumented words and sums need a person`() throws {
        let new = try read(delivery("parted"))
        #expect(new[0].effect == .attempt(.pending, nil) && new[0].flags == [.unknownStatus])
        let refund = try read(delivery("refund", "200", #","refunds":[{"refund_key":"K"}]"#))
        #expect(refund.map(\.effect) == [.doubt] && refund[0].flags == [.notUnderstood])
        let part = try read(delivery("partial_chargeback"))
        #expect(part.map(\.effect) == [.dispute(id: "T", .lost, nil)])
    }

    @Test func `a refunded sum counts only if a refund is missing from the list`() throws {
        let listed = #","refunds":[{"refund_chargeback_id":1,"refund_amount":"4.00"}]"#
        let whole = try read(
            delivery("partial_refund", "200", #","refund_amount":"4.00""# + listed))
        #expect(whole.map(\.refundedAtLeast) == [nil])
        let part = try read(delivery("partial_refund", "200", #","refund_amount":"9.00""# + listed))
        #expect(part.map(\.refundedAtLeast) == [Money.of(900, "USD")])
        #expect(part[0].id != whole[0].id)
    }

    // MARK: Questions

    /// The inquirer took another step.
    private struct Unexpected: Error {}

    private func life(_ types: [EventType]) -> SampleLife {
        var life = SampleLife(reference: "R/1")
        for (number, type) in types.enumerated() {
            life.append(
                SampleEvent(
                    type: type, reference: "R/1", transaction: "T",
                    money: Money.of(type == .refunded ? 1200 : 4200, "IDR"), occurred: now,
                    number: number + 1))
        }
        return life
    }

    private func ask(
        _ question: InquiryQuestion, _ life: SampleLife?,
        _ change: (InquiryAnswer) -> InquiryAnswer = { $0 }
    ) throws -> InquiryFinding {
        var settings = settings
        settings[Midtrans.serverKey] = "SB-Mid-server-first"
        let inquirer = try MidtransInquirer(settings: settings)
        let responder = try MidtransResponder(settings: settings)
        var conversation = InquiryConversation(question)
        guard case .ask(let request) = try inquirer.next(conversation, now: now) else {
            throw Unexpected()
        }
        #expect(responder.serves(request))
        let answer = responder.answer(request, at: ResponderMoment(now: now)) { _, value in
            [life?.reference, "T"].contains(value) ? life : nil
        }
        conversation.append(InquiryExchange(request, change(answer)))
        guard case .found(let finding) = try inquirer.next(conversation, now: now) else {
            throw Unexpected()
        }
        return finding
    }

    @Test func `an answer reports the payment and its refunds`() throws {
        for question in [
            InquiryQuestion(by: .reference, "R/1"), InquiryQuestion(by: .transaction, "T"),
        ] {
            let finding = try ask(question, life([.paid, .refunded, .refunded]))
            #expect(finding.verdict == .answered && finding.trust == .tls)
            let order = finding.facts.reduce(Order()) { $0.applying($1.notification) }
            #expect(order.status == .partiallyRefunded && order.flags.isEmpty, "\(order)")
            #expect(order.refunded == Money.of(2400, "IDR"))
        }
        #expect(try ask(InquiryQuestion(by: .reference, "R/2"), nil).verdict == .absent)
    }

    @Test func `an answer about another payment, or with a wrong signature, is not read`() throws {
        let question = InquiryQuestion(by: .transaction, "T")
        for (old, new) in [(#""T""#, #""U""#), (#""42.00""#, #""43.00""#), (#"R/1""#, #"R/2""#)] {
            let finding = try ask(question, life([.paid])) { answer in
                InquiryAnswer(
                    status: 200, headers: [],
                    body: Array(
                        String(decoding: answer.body, as: UTF8.self).replacing(old, with: new).utf8
                    ), received: now)
            }
            #expect(finding.facts.isEmpty && finding.verdict == .untrusted, "\(old) \(finding)")
        }
        let denied = try ask(question, life([.paid])) { _ in
            InquiryAnswer(
                status: 200, headers: [], body: Array(#"{"status_code":"401"}"#.utf8),
                received: now)
        }
        #expect(denied.verdict == .denied)
    }
}
